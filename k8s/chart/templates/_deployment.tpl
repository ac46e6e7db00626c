{{/* The Deployment of one app: dict "root" $ "app" its name "surge" "preStop" in seconds, 0 for none. */}}
{{- define "turnpike.deployment" -}}
{{- $root := .root }}
{{- $own := index $root.Values .app }}
{{- $name := printf "%s-%s" (include "turnpike.name" $root) .app }}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ $name }}
  labels:
    app.kubernetes.io/name: {{ $name }}
    {{- include "turnpike.labels" $root | nindent 4 }}
spec:
  {{- if eq $root.Values.autoscaling.kind "none" }}
  replicas: {{ (index $root.Values.autoscaling .app).minimum }}
  {{- end }}
  strategy:
    rollingUpdate: { maxUnavailable: 0, maxSurge: {{ .surge }} }
  selector:
    matchLabels: { app.kubernetes.io/name: {{ $name }} }
  template:
    metadata:
      labels:
        app.kubernetes.io/name: {{ $name }}
        {{- include "turnpike.partOf" $root | nindent 8 }}
      annotations:
        # Pods roll when it changes.
        checksum/config: {{ include "turnpike.config" $root | sha256sum }}
        {{- with $own.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      # The drain, 5 s to close connections, a preStop, and room.
      terminationGracePeriodSeconds: {{ add $root.Values.shutdownGraceSeconds 20 }}
      automountServiceAccountToken: false
      enableServiceLinks: false
      {{- with $root.Values.image.pullSecrets }}
      imagePullSecrets:
        {{- range . }}
        - name: {{ . }}
        {{- end }}
      {{- end }}
      securityContext:
        {{- include "turnpike.podSecurity" $root | nindent 8 }}
      topologySpreadConstraints:
        {{- range (list "topology.kubernetes.io/zone" "kubernetes.io/hostname") }}
        - maxSkew: 1
          topologyKey: {{ . }}
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels: { app.kubernetes.io/name: {{ $name }} }
        {{- end }}
      {{- range $key := list "nodeSelector" "tolerations" "affinity" }}
      {{- with index $own $key }}
      {{ $key }}:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- end }}
      containers:
        - name: {{ .app }}
          image: {{ include "turnpike.image" $root }}
          {{- with $root.Values.image.pullPolicy }}
          imagePullPolicy: {{ . }}
          {{- end }}
          args: [{{ .app }}]
          envFrom:
            - configMapRef: { name: {{ include "turnpike.name" $root }} }
            - secretRef: { name: {{ $root.Values.existingSecret | default (include "turnpike.name" $root) }} }
          {{- with $own.extraEnv }}
          env:
            {{- toYaml . | nindent 12 }}
          {{- end }}
          ports:
            {{- if eq .app "ingress" }}
            - { name: http, containerPort: 3000 }
            {{- end }}
            - { name: ops, containerPort: 3001 }
          startupProbe:
            httpGet: { path: /healthz, port: ops }
            periodSeconds: 2
            failureThreshold: 30
          # The event loop only: a restart cures neither Redis nor a provider.
          livenessProbe:
            httpGet: { path: /healthz, port: ops }
            timeoutSeconds: 5
          readinessProbe:
            httpGet: { path: /readyz, port: ops }
            periodSeconds: 5
            timeoutSeconds: 3
          {{- if .preStop }}
          lifecycle:
            # Load balancers stop sending before the ingress stops listening.
            preStop:
              sleep: { seconds: {{ .preStop }} }
          {{- end }}
          resources:
            {{- toYaml $own.resources | nindent 12 }}
          securityContext:
            {{- include "turnpike.containerSecurity" $root | nindent 12 }}
          volumeMounts:
            - { name: options, mountPath: /etc/turnpike, readOnly: true }
            {{- if eq .app "runner" }}
            # For MCP servers and tools; nothing of a session is in it.
            - { name: tmp, mountPath: /tmp }
            {{- end }}
      volumes:
        - name: options
          configMap: { name: {{ include "turnpike.name" $root }}-options }
        {{- if eq .app "runner" }}
        - name: tmp
          emptyDir: { sizeLimit: 1Gi }
        {{- end }}
{{- end }}
