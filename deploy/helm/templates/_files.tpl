{{/* The same text as deploy/kubernetes/base/hookdrift.yaml. */}}
{{- define "hookdrift.volumeConfiguration" -}}
# Yours to change. Keys come from the secret `hookdrift-keys`, a file each:
#   kubectl create secret generic hookdrift-keys --from-file=acme=./acme-key
policy: ./policy.yaml
worker: { listen: "0.0.0.0:9464" }     # the kubelet asks the pod's address
schedules:                             # for the worker; `hookdrift audit`, as the CronJob runs it, needs none
  - { name: quarter-hourly, cron: "*/15 * * * *", jitter: 30s, run_on_start: true }
services:
  - name: acme
    url: https://hooks.example.com
    key: ${file:/run/secrets/hookdrift/acme}
    projects:
      - { id: 01M7XVZ2T417WGWM74AAK885VQ, name: payments }
{{ end -}}

{{/* The same text as deploy/kubernetes/shared/hookdrift.yaml. */}}
{{- define "hookdrift.postgresConfiguration" -}}
# Yours to change. Secrets come from the secret `hookdrift-keys`, a file each:
#   openssl rand -hex 32 > seal-key        # keep a copy: with another key, changed secrets go undetected
#   kubectl create secret generic hookdrift-keys --from-file=acme=./acme-key --from-file=seal-key \
#     --from-file=database-password
history: postgres://hookdrift:${file:/run/secrets/hookdrift/database-password}@postgres.example.com/hookdrift
seal_key: ${file:/run/secrets/hookdrift/seal-key}
policy: ./policy.yaml
worker: { listen: "0.0.0.0:9464", shared: true, slots: 4 }   # slots: projects that each worker scans at once
schedules:
  - { name: quarter-hourly, cron: "*/15 * * * *", jitter: 30s }
services:
  - name: acme
    url: https://hooks.example.com
    key: ${file:/run/secrets/hookdrift/acme}
    projects:
      - { id: 01M7XVZ2T417WGWM74AAK885VQ, name: payments }
{{ end -}}

{{/* The same text as deploy/kubernetes/base/policy.yaml. */}}
{{- define "hookdrift.policy" -}}
# Yours to change: docs/reference/policy.md.
extends: [recommended]
{{ end -}}
