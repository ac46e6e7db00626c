{{/* What pods read when they start; both ConfigMaps are made of it. */}}
{{- define "turnpike.env" -}}
TURNPIKE_CONFIG: /etc/turnpike/turnpike.json5
SHUTDOWN_GRACE_MS: {{ mul .Values.shutdownGraceSeconds 1000 | quote }}
{{- range $name, $value := .Values.env }}
{{ $name }}: {{ $value | quote }}
{{- end }}
{{- end }}

{{- define "turnpike.config" -}}
{{ include "turnpike.env" . }}
{{ toJson .Values.options }}
{{- end }}
