# One image for every app; the argument picks it: ingress (default), runner, dispatcher, standalone, cli.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --include=dev --no-audit --no-fund
COPY . .
# The Node among the optional dependencies is for developers; the image has its own.
RUN npm run build \
  && npm prune --omit=dev --no-audit --no-fund \
  && rm -rf node_modules/node-linux-* node_modules/.bin dist/test

FROM node:24-bookworm-slim
# Reaps what the children of MCP servers leave behind, which Node as the first process would not.
RUN apt-get update && apt-get install -y --no-install-recommends tini && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
USER node
# 3000 is the HTTP side of the ingress; 3001 (health, readiness, metrics) is every app's and is never published.
EXPOSE 3000 3001
# exec: Node itself gets SIGTERM, and drains.
ENTRYPOINT ["tini", "--", "sh", "-c", "exec node --enable-source-maps \"dist/apps/$0/main.js\" \"$@\""]
CMD ["ingress"]
