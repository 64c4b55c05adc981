{{/* What the pods of every workload have. */}}
{{- define "hookdrift.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
# A stopped run is committed within ten seconds; a worker that shares runs hands its projects over.
terminationGracePeriodSeconds: 30
{{- with .Values.serviceAccountName }}
serviceAccountName: {{ . | quote }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . | quote }}
{{- end }}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  {{- if eq .Values.history "volume" }}
  # Else each start would open hookdrift.key to the group, which hookdrift warns of.
  fsGroupChangePolicy: OnRootMismatch
  {{- end }}
  seccompProfile: { type: RuntimeDefault }
volumes:
  - name: configuration
    configMap: { name: {{ .Values.existingConfigMap | default (include "hookdrift.fullname" .) | quote }} }
  - name: keys
    secret: { secretName: {{ .Values.keysSecret | quote }}, defaultMode: 288 }   # 0440
  {{- if eq .Values.history "volume" }}
  - name: history
    persistentVolumeClaim: { claimName: {{ include "hookdrift.claim" . | quote }} }
  {{- else }}
  # The copy that `hookdrift verify` makes of the history, and the like.
  - name: temporary
    emptyDir: {}
initContainers:
  # Creates the history in an empty database. It upgrades no history that another version made.
  - name: upgrade
    args: [history, upgrade]
    {{- include "hookdrift.container" . | nindent 4 }}
  {{- end }}
{{- end -}}

{{/* What every container has. */}}
{{- define "hookdrift.container" -}}
image: {{ include "hookdrift.image" . | quote }}
{{- with .Values.image.pullPolicy }}
imagePullPolicy: {{ . }}
{{- end }}
env:
  {{- if eq .Values.history "postgres" }}
  # The configuration names the history, and not the image.
  - { name: HOOKDRIFT_HISTORY, value: "" }
  {{- end }}
  - { name: NODE_OPTIONS, value: {{ .Values.nodeOptions | quote }} }
  {{- with .Values.env }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
resources:
  {{- if eq .Values.workload "worker" }}
  {{- toYaml .Values.worker.resources | nindent 2 }}
  {{- else }}
  {{- toYaml .Values.cronjob.resources | nindent 2 }}
  {{- end }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
volumeMounts:
  - { name: configuration, mountPath: /etc/hookdrift, readOnly: true }
  - { name: keys, mountPath: /run/secrets/hookdrift, readOnly: true }
  {{- if eq .Values.history "volume" }}
  - { name: history, mountPath: /var/lib/hookdrift }
  {{- else }}
  - { name: temporary, mountPath: /var/lib/hookdrift }
  {{- end }}
{{- end -}}

{{- define "hookdrift.claim" -}}
{{ .Values.volume.existingClaim | default (printf "%s-history" (include "hookdrift.fullname" .)) }}
{{- end -}}
