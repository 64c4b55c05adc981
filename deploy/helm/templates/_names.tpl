{{/* A CronJob's name has 52 characters at most. */}}
{{- define "hookdrift.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{ .Values.fullnameOverride | trunc 52 | trimSuffix "-" }}
{{- else if contains .Chart.Name .Release.Name -}}
{{ .Release.Name | trunc 52 | trimSuffix "-" }}
{{- else -}}
{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" }}
{{- end -}}
{{- end -}}

{{/* Of every object, and of the pods. A selector has none of these: an upgrade could not change them. */}}
{{- define "hookdrift.releaseLabels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{/* Of an object that belongs to no workload. */}}
{{- define "hookdrift.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{ include "hookdrift.releaseLabels" . }}
{{- end -}}

{{/* What selects the pods. */}}
{{- define "hookdrift.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/component: {{ if eq .Values.workload "worker" }}worker{{ else }}audit{{ end }}
{{- end -}}

{{/* Of the pods, and of what belongs to them. */}}
{{- define "hookdrift.podLabels" -}}
{{ include "hookdrift.selector" . }}
{{ include "hookdrift.releaseLabels" . }}
{{- end -}}

{{- define "hookdrift.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}
