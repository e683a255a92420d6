{{- define "flagstone.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "flagstone.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else if contains (include "flagstone.name" .) .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "flagstone.name" .) | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "flagstone.selector" -}}
app.kubernetes.io/name: {{ include "flagstone.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "flagstone.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{ include "flagstone.selector" . }}
{{- end -}}

{{- define "flagstone.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "flagstone.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "flagstone.image" -}}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) -}}
{{- end -}}

{{- define "flagstone.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "flagstone.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/*
Probes of a container whose port is called http; `readinessPath` may have a query. The first start of a large database may
upgrade its schema.
*/}}
{{- define "flagstone.probes" -}}
startupProbe:
  httpGet: { path: /health, port: http, scheme: {{ .scheme }} }
  periodSeconds: 5
  timeoutSeconds: 5
  failureThreshold: 120
livenessProbe:
  httpGet: { path: /health, port: http, scheme: {{ .scheme }} }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: { path: {{ .readinessPath | quote }}, port: http, scheme: {{ .scheme }} }
  periodSeconds: 5
  timeoutSeconds: 5
  failureThreshold: 2
{{- end -}}

{{/*
Secrets by the variables that they are for: each is a file, which `…_FILE` names. Variables are seen by whoever may look at the
process or describe the pod; files by those who read them.
*/}}
{{- define "flagstone.secretVariables" -}}
{{- range $variable, $_ := . }}
- name: {{ $variable }}_FILE
  value: /run/secrets/{{ $variable }}/value
{{- end }}
{{- end -}}

{{- define "flagstone.secretMounts" -}}
{{- range $variable, $_ := . }}
- name: {{ $variable | lower | replace "_" "-" }}
  mountPath: /run/secrets/{{ $variable }}
  readOnly: true
{{- end }}
{{- end -}}

{{- define "flagstone.secretVolumes" -}}
{{- range $variable, $from := . }}
- name: {{ $variable | lower | replace "_" "-" }}
  secret:
    secretName: {{ $from.existingSecret }}
    defaultMode: 0440
    items:
      - key: {{ $from.key }}
        path: value
{{- end }}
{{- end -}}

{{/*
Files by the folders below /run that they are in: each is from a secret or from a ConfigMap, where one is named, and has the
`file` name that it gets.
*/}}
{{- define "flagstone.fileMounts" -}}
{{- range $folder, $from := . }}
{{- if or $from.existingSecret $from.existingConfigMap }}
- name: {{ $folder | replace "/" "-" }}
  mountPath: /run/{{ $folder }}
  readOnly: true
{{- end }}
{{- end }}
{{- end -}}

{{- define "flagstone.fileVolumes" -}}
{{- range $folder, $from := . }}
{{- if and $from.existingSecret $from.existingConfigMap }}
{{- fail (printf "%s: the file is in a secret or in a ConfigMap, not in both" $folder) }}
{{- else if $from.existingSecret }}
- name: {{ $folder | replace "/" "-" }}
  secret:
    secretName: {{ $from.existingSecret }}
    defaultMode: 0440
    items: [{ key: {{ $from.key | quote }}, path: {{ $from.file }} }]
{{- else if $from.existingConfigMap }}
- name: {{ $folder | replace "/" "-" }}
  configMap:
    name: {{ $from.existingConfigMap }}
    items: [{ key: {{ $from.key | quote }}, path: {{ $from.file }} }]
{{- end }}
{{- end }}
{{- end -}}
