# One image for every app; the argument picks it: ingress (default), runner, dispatcher, standalone, pod-costs, cli.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --include=dev --no-audit --no-fund
COPY . .
# The Node among the optional dependencies is for developers; the image has its own. typescript stays behind a prune as an optional
# peer of valibot. Types, maps and sources of packages are more than half of their size, and Node reads none of them.
RUN npm run build \
  && npm prune --omit=dev --no-audit --no-fund \
  && rm -rf node_modules/node-linux-* node_modules/typescript node_modules/.bin dist/test \
  && find node_modules -type f -regex '.*\.\([cm]?ts\|map\|md\)' -delete

FROM node:24-bookworm-slim
# Reaps what the children of MCP servers leave behind, which Node as the first process would not.
RUN apt-get update && apt-get install -y --no-install-recommends tini && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=build /app/bin/app.mjs ./bin/
USER node
# 3000 is the HTTP side of the ingress; 3001 (health, readiness, metrics) is every app's and is never published.
EXPOSE 3000 3001
# No shell between: Node itself gets SIGTERM, and drains.
ENTRYPOINT ["tini", "--", "node", "--enable-source-maps", "bin/app.mjs"]
CMD ["ingress"]
