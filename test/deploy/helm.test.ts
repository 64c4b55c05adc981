import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse, parseAllDocuments, stringify } from 'yaml'
import { z } from 'zod'
import { chartValues } from '../../scripts/reference/chart.ts'
import { openDirectory } from '../cli/start-process.ts'
import { checkout } from './build-image.ts'
import { manifestFaults } from './file-schemas.ts'
import { complaintOf } from './parse-command.ts'
import { type Manifest, readKustomization } from './read-kustomization.ts'
import { type Release, renderChart } from './render-chart.ts'

const chart = join(checkout, 'deploy/helm')
const kustomizations = join(checkout, 'deploy/kubernetes')
const textOf = (name: string) => readFileSync(join(chart, name), 'utf8')
const schema = JSON.parse(textOf('values.schema.json'))
const defaults = parse(textOf('values.yaml'))

const { version } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8'))

const isOnPath = (program: string, args: readonly string[]) => spawnSync(program, args).status === 0
const hasHelm = isOnPath('helm', ['version'])
const hasKubectl = isOnPath('kubectl', ['kustomize', '--help'])

type Render = (release: Release) => readonly Manifest[]

const documentsIn = (text: string) =>
  parseAllDocuments(text).flatMap((document) => (document.toJS() === null ? [] : [document.toJS()]))

const renderers: readonly (readonly [string, Render])[] = [
  [
    'the engine of the tests',
    (release) =>
      [...renderChart(chart, release)].flatMap(([file, text]) => (file.endsWith('.yaml') ? documentsIn(text) : [])),
  ],
  ...(hasHelm ? [['helm', renderByHelm] as const] : []),
]

function renderByHelm({ name, namespace, values }: Release) {
  using directory = openDirectory()
  directory.write('values.yaml', stringify(values))
  const file = join(directory.path, 'values.yaml')
  const args = ['template', name, chart, '--namespace', namespace, '--values', file, '--kube-version', '1.37.0']
  return documentsIn(execFileSync('helm', args, { encoding: 'utf8', stdio: 'pipe' }))
}

const byKind = (manifests: readonly Manifest[]) =>
  Object.fromEntries(manifests.map((manifest) => [manifest.kind, manifest]))
const release = (values: Release['values'] = {}) => ({ name: 'hookdrift', namespace: 'audits', values })

const variants = ['worker', 'cronjob'].flatMap((workload) =>
  ['volume', 'postgres'].map((history) => ({ workload, history })),
)
const everyValue = {
  image: {
    repository: 'registry.example.org/audits/hookdrift',
    digest: `sha256:${'0'.repeat(64)}`,
    pullPolicy: 'Always',
    pullSecrets: [{ name: 'registry-login' }],
  },
  configuration: 'services: []\n',
  policy: 'extends: [strict]',
  files: { 'ca.pem': '  -----BEGIN CERTIFICATE-----\n{{ .Values.keysSecret }}' },
  keysSecret: 'keys-of-gateways',
  worker: { replicas: 5, port: 9000, resources: { requests: { cpu: '1' }, limits: { memory: '2Gi' } } },
  cronjob: {
    schedule: '0 4 * * *',
    timeZone: 'Europe/Berlin',
    suspend: true,
    args: ['audit', '--fail-on', 'never'],
    activeDeadlineSeconds: 2_000_000,
    startingDeadlineSeconds: 60,
    successfulJobsHistoryLimit: 1,
    failedJobsHistoryLimit: 0,
    resources: { requests: { cpu: '1' }, limits: { memory: '2Gi' } },
  },
  volume: {
    size: '10Gi',
    storageClass: 'fast',
    accessModes: ['ReadWriteOnce'],
    keep: false,
    annotations: { owner: 'gateways' },
  },
  service: { annotations: { 'prometheus.io/scrape': 'true' } },
  podMonitor: { enabled: true, interval: '30s', labels: { release: 'prometheus' } },
  prometheusRule: { enabled: true, labels: { release: 'prometheus' } },
  networkPolicy: {
    enabled: true,
    scrapedBy: [{ namespaceSelector: { matchLabels: { name: 'monitoring' } } }],
    egress: [{ ports: [{ protocol: 'TCP', port: 8443 }] }],
  },
  nodeOptions: '--max-old-space-size=1024',
  env: [{ name: 'HTTPS_PROXY', value: 'http://proxy.example.com:3128' }],
  podLabels: { team: 'gateways' },
  podAnnotations: { note: 'a: "b"' },
  serviceAccountName: 'auditor',
  priorityClassName: 'low',
  nodeSelector: { 'kubernetes.io/arch': 'amd64' },
  tolerations: [{ key: 'audits', operator: 'Exists' }],
  affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
  fullnameOverride: 'audits',
}

describe('the reader of kustomizations', () => {
  if (hasKubectl)
    it.each(['worker', 'cronjob', 'shared'])('makes of %s what kubectl makes of it', (name) => {
      const folder = join(kustomizations, name)
      const made = documentsIn(execFileSync('kubectl', ['kustomize', folder], { encoding: 'utf8' }))
      expect(byKind(readKustomization(folder))).toEqual(byKind(made))
      expect(readKustomization(folder)).toHaveLength(made.length)
    })
})

describe.each(renderers)('the chart, rendered by %s', (_, render) => {
  it.each([
    ['worker', {}],
    ['cronjob', { workload: 'cronjob' }],
    ['shared', { history: 'postgres' }],
  ])('deploys what deploy/kubernetes/%s does, and keeps a volume when it is uninstalled', (name, values) => {
    const expected = readKustomization(join(kustomizations, name)).map((manifest) => {
      if (manifest.kind !== 'PersistentVolumeClaim') return manifest
      const annotations = { 'helm.sh/resource-policy': 'keep' }
      return { ...manifest, metadata: { ...manifest.metadata, annotations } }
    })
    const made = render(release(values))
    expect(byKind(made.map(withoutReleaseLabels))).toEqual(byKind(expected))
    expect(made).toHaveLength(expected.length)
  })

  it.each(variants)(
    'labels every object with chart, version and origin, and no selector: $workload, $history',
    (variant) => {
      const releaseLabels = { 'helm.sh/chart': `hookdrift-${version}`, ...labelsOf({ version, 'managed-by': 'Helm' }) }
      const common = labelsOf({ name: 'hookdrift', instance: 'hookdrift' })
      const made = render(release({ ...everyValue, ...variant }))
      for (const { metadata } of made) expect(metadata.labels).toMatchObject({ ...common, ...releaseLabels })
      const { Deployment: worker, CronJob: job, ...others } = byKind(made)
      expect(templateOf(worker ?? job).metadata.labels).toMatchObject(releaseLabels)
      const selectors = [
        ...JSON.stringify([worker, others]).matchAll(/"(?:matchLabels|selector|podSelector)":\{"app[^}]*\}/g),
      ]
      expect(selectors.filter(([text]) => /chart|version|managed-by/.test(text))).toEqual([])
      expect(selectors.length).toBeGreaterThan(0)
    },
  )

  it.each(variants)(
    'asks the operator of Prometheus and the network for what values turn on: $workload, $history',
    (variant) => {
      const { Service: _, ...made } = byKind(render(release({ ...everyValue, ...variant })))
      const isWorker = variant.workload === 'worker'
      const selected = labelsOf({ name: 'hookdrift', instance: 'hookdrift', component: isWorker ? 'worker' : 'audit' })
      const { ingress, egress, ...policy } = z.looseObject({}).parse(made.NetworkPolicy?.spec)
      expect(policy).toEqual({ podSelector: { matchLabels: selected }, policyTypes: ['Ingress', 'Egress'] })
      expect(ingress).toEqual(
        isWorker ? [{ from: everyValue.networkPolicy.scrapedBy, ports: [{ protocol: 'TCP', port: 9000 }] }] : [],
      )
      const names = ['UDP', 'TCP'].map((protocol) => ({ protocol, port: 53 }))
      expect(egress).toEqual([{ ports: names }, ...everyValue.networkPolicy.egress])
      if (!isWorker) return expect([made.PodMonitor, made.PrometheusRule]).toEqual([undefined, undefined])
      expect(made.PodMonitor).toMatchObject({
        metadata: { labels: { release: 'prometheus' } },
        spec: {
          selector: { matchLabels: selected },
          podMetricsEndpoints: [{ port: 'http', path: '/metrics', interval: '30s' }],
        },
      })
      expect(made.PrometheusRule).toMatchObject({ metadata: { labels: { release: 'prometheus' } } })
      expect(made.PrometheusRule?.spec).toEqual(
        parse(readFileSync(join(checkout, 'deploy/prometheus/alerts.yaml'), 'utf8')),
      )
    },
  )

  it('lets no pod read metrics where a network policy names none', () => {
    const made = byKind(render(release({ networkPolicy: { enabled: true } })))
    expect(made.NetworkPolicy?.spec).toMatchObject({
      ingress: [],
      egress: [{}, { ports: [{ port: 443 }] }, { ports: [{ port: 5432 }] }],
    })
  })

  it.each(variants)('follows the schemas of Kubernetes with any values: $workload, $history', (variant) => {
    for (const values of [variant, { ...everyValue, ...variant }]) {
      const made = render(release(values))
      // Texts by names of files, and not in the fixture of the schemas, as are the operator's.
      const { ConfigMap: files, PodMonitor: _, PrometheusRule: __, NetworkPolicy: ___, ...others } = byKind(made)
      expect(Object.values(files?.data ?? {}).every((text) => typeof text === 'string')).toBe(true)
      for (const manifest of Object.values(others)) expect(manifestFaults(manifest)).toEqual([])
      const { CronJob: job, Deployment: worker } = byKind(made)
      expect(Object.keys(byKind(made)).filter((kind) => kind === 'CronJob' || kind === 'Deployment')).toHaveLength(1)
      expect(podOf(job ?? worker).initContainers?.map(({ args }) => args)).toEqual(
        variant.history === 'postgres' ? [['history', 'upgrade']] : undefined,
      )
    }
  })

  it.each(variants)('puts every value where it belongs: $workload, $history', (variant) => {
    const made = byKind(render(release({ ...everyValue, ...variant })))
    const { configuration, policy, files, worker, cronjob, env, volume } = everyValue
    expect(made.ConfigMap).toMatchObject({
      metadata: { name: 'audits' },
      data: { 'hookdrift.yaml': configuration, 'policy.yaml': policy, ...files },
    })
    const workload = variant.workload === 'worker' ? made.Deployment : made.CronJob
    const pod = podOf(workload)
    expect(templateOf(workload).metadata).toEqual({
      labels: { ...workload?.metadata.labels, team: 'gateways' },
      annotations: everyValue.podAnnotations,
    })
    expect(pod).toMatchObject({
      serviceAccountName: 'auditor',
      automountServiceAccountToken: false,
      priorityClassName: 'low',
      imagePullSecrets: [{ name: 'registry-login' }],
      nodeSelector: everyValue.nodeSelector,
      tolerations: everyValue.tolerations,
      affinity: everyValue.affinity,
    })
    expect(pod.volumes.map(({ name }) => name)).toEqual([
      'configuration',
      'keys',
      variant.history === 'volume' ? 'history' : 'temporary',
    ])
    expect(pod.volumes[1]).toMatchObject({ secret: { secretName: 'keys-of-gateways' } })
    for (const container of [...pod.containers, ...(pod.initContainers ?? [])])
      expect(container).toMatchObject({
        image: `registry.example.org/audits/hookdrift@sha256:${'0'.repeat(64)}`,
        imagePullPolicy: 'Always',
        resources: worker.resources,
        env: [
          ...(variant.history === 'postgres' ? [{ name: 'HOOKDRIFT_HISTORY', value: '' }] : []),
          { name: 'NODE_OPTIONS', value: '--max-old-space-size=1024' },
          ...env,
        ],
      })
    if (variant.workload === 'cronjob') {
      const { args, resources, activeDeadlineSeconds, ...timing } = cronjob
      expect(made.CronJob?.spec).toMatchObject({ ...timing, jobTemplate: { spec: { activeDeadlineSeconds } } })
      expect(pod.containers[0]).toMatchObject({ args })
      expect(made.Service).toBe(undefined)
    } else {
      expect(made.Deployment?.spec).toMatchObject({ replicas: variant.history === 'volume' ? 1 : 5 })
      expect(pod.containers[0]).toMatchObject({ ports: [{ containerPort: 9000 }] })
      expect(made.Service).toMatchObject({
        metadata: { name: 'audits', annotations: everyValue.service.annotations },
        spec: { ports: [{ port: 9000 }] },
      })
    }
    if (variant.history === 'postgres') expect(made.PersistentVolumeClaim).toBe(undefined)
    else
      expect(made.PersistentVolumeClaim).toMatchObject({
        metadata: { name: 'audits-history', annotations: { owner: 'gateways' } },
        spec: {
          accessModes: volume.accessModes,
          storageClassName: 'fast',
          resources: { requests: { storage: '10Gi' } },
        },
      })
    expect(made.PersistentVolumeClaim?.metadata).not.toMatchObject({
      annotations: { 'helm.sh/resource-policy': 'keep' },
    })
  })

  it('uses a ConfigMap and a claim that exist, and publishes metrics or not', () => {
    const values = { existingConfigMap: 'files', volume: { existingClaim: 'claim' }, service: { enabled: false } }
    const made = render(release(values))
    expect(made.map(({ kind }) => kind)).toEqual(['Deployment'])
    expect(podOf(made[0]).volumes).toMatchObject([
      { configMap: { name: 'files' } },
      {},
      { persistentVolumeClaim: { claimName: 'claim' } },
    ])
    expect(() => render(release({ existingConfigMap: 'files', policy: 'extends: [strict]' }))).toThrow(
      'set either existingConfigMap, or configuration, policy and files',
    )
  })

  it('gives two releases objects and pods of their own', () => {
    const one = render(release())
    const other = render({ ...release(), name: 'acme' })
    expect(other.map(({ metadata }) => metadata.name)).toEqual(
      one.map(({ metadata }) => metadata.name.replace('hookdrift', 'acme-hookdrift')),
    )
    const selectorOf = (manifests: readonly Manifest[]) =>
      z.looseObject({ selector: z.record(z.string(), z.string()) }).parse(byKind(manifests).Service?.spec).selector
    const selectedOf = (manifests: readonly Manifest[]) => expect.objectContaining(selectorOf(manifests))
    expect(podLabelsOf(one)).toEqual(selectedOf(one))
    expect(podLabelsOf(other)).toEqual(selectedOf(other))
    expect(podLabelsOf(one)).not.toEqual(selectedOf(other))
    // A name of 53 characters is the longest that Helm allows, and one of 52 the longest of a CronJob.
    const long = render({ ...release({ workload: 'cronjob' }), name: `${'a'.repeat(51)}-b` })
    expect(byKind(long).CronJob?.metadata.name).toBe('a'.repeat(51))
  })

  it.each([
    [{ imge: {} }, 'imge'],
    [{ worker: { replica: 1 } }, 'replica'],
    [{ image: { tag: 1 } }, 'tag'],
    [{ workload: 'deployment' }, 'workload'],
    [{ worker: { replicas: 1.5 } }, 'replicas'],
    [{ files: { 'policy.yaml': '' } }, 'policy.yaml'],
    [{ podLabels: { 'app.kubernetes.io/name': 'other' } }, 'app.kubernetes.io/name'],
    [{ env: [{ name: 'NODE_OPTIONS', value: '' }] }, 'env'],
    [{ volume: { accessModes: ['ReadWriteMany'] } }, 'accessModes'],
    [{ keysSecret: '' }, 'keysSecret'],
  ])('refuses %j', (values, name) => {
    expect(() => render(release(values))).toThrow(new RegExp(`schema[\\s\\S]*${name}`))
  })
})

if (hasHelm)
  describe('helm', () => {
    it('has no complaint about the chart', () => {
      const { status, stdout } = spawnSync('helm', ['lint', '--strict', chart], { encoding: 'utf8' })
      expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining('0 chart(s) failed') })
    })
  })

describe('the values of the chart', () => {
  it('are described by the schema, each with a sentence, and values.yaml has all of them', () => {
    const described = chartValues(schema)
    expect(described.filter(({ description }) => !/^.+\.$/.test(description ?? ''))).toEqual([])
    const paths = described.map(({ path }) => path)
    expect(paths.toSorted()).toEqual(pathsIn(defaults, new Set(paths)).toSorted())
  })

  it('name commands that the program knows', async () => {
    expect(await complaintOf(defaults.cronjob.args)).toBe('')
    expect(await complaintOf(['worker'])).toBe('')
    expect(await complaintOf(['history', 'upgrade'])).toBe('')
  })
})

describe('the chart itself', () => {
  it('has the version of the package', () => {
    expect(parse(textOf('Chart.yaml'))).toMatchObject({ name: 'hookdrift', version, appVersion: version })
  })

  it('takes the values that the page about it shows', () => {
    const page = readFileSync(join(checkout, 'docs/how-to/install.md'), 'utf8')
    const [, section = ''] = page.split(/^## With Helm$/m)
    const [, values = ''] = /^```yaml\n(.*?)^```/ms.exec(section) ?? []
    const rendered = renderChart(chart, release(parse(values)))
    expect(parse(rendered.get('cronjob.yaml') ?? '')).toMatchObject({ spec: { schedule: '0 * * * *' } })
  })

  it('says after the installation what to do next', () => {
    const notesOf = (values: Release['values']) => renderChart(chart, release(values)).get('NOTES.txt') ?? ''
    const example = 'The configuration is an example'
    expect(notesOf({})).toContain(example)
    expect(notesOf({})).toContain('kubectl --namespace audits exec deploy/hookdrift -- hookdrift status')
    expect(notesOf({})).toContain('delete pvc hookdrift-history')
    expect(notesOf({ configuration: 'services: []' })).not.toContain(example)
    expect(notesOf({ workload: 'cronjob' })).toContain('create job --from=cronjob/hookdrift hookdrift-now')
    expect(notesOf({ history: 'postgres' })).not.toContain('delete pvc')
    for (const variant of variants) expect(notesOf(variant)).not.toMatch(/<no value>|\n\n\n|[ \t]\n/)
  })
})

/** Labels that Kubernetes recommends, by their names. */
function labelsOf(values: Readonly<Record<string, string>>) {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`app.kubernetes.io/${name}`, value]))
}

const releaseLabels = ['helm.sh/chart', 'app.kubernetes.io/version', 'app.kubernetes.io/managed-by']

/** As a kustomization makes it. */
function withoutReleaseLabels(manifest: Manifest): Manifest {
  return JSON.parse(JSON.stringify(manifest), (key, value) => (releaseLabels.includes(key) ? undefined : value))
}

const containers = z.array(z.looseObject({ args: z.array(z.string()) }))
const podTemplate = z.looseObject({
  metadata: z.looseObject({ labels: z.record(z.string(), z.string()) }),
  spec: z.looseObject({
    containers,
    initContainers: containers.optional(),
    volumes: z.array(z.looseObject({ name: z.string() })),
  }),
})
const workloadSchema = z.union([
  z.looseObject({ spec: z.looseObject({ template: podTemplate }) }),
  z.looseObject({
    spec: z.looseObject({ jobTemplate: z.looseObject({ spec: z.looseObject({ template: podTemplate }) }) }),
  }),
])

function templateOf(workload: Manifest | undefined): z.infer<typeof podTemplate> {
  const { spec } = workloadSchema.parse(workload)
  return 'template' in spec ? podTemplate.parse(spec.template) : podTemplate.parse(spec.jobTemplate.spec.template)
}

function podOf(workload: Manifest | undefined) {
  return templateOf(workload).spec
}

function podLabelsOf(manifests: readonly Manifest[]) {
  return templateOf(byKind(manifests).Deployment).metadata.labels
}

/** The paths of values: an object is one value where `whole` has its path. */
function pathsIn(values: object, whole: ReadonlySet<string>, parent = ''): readonly string[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const path = `${parent}${name}`
    const isOne = typeof value !== 'object' || value === null || whole.has(path)
    return isOne ? [path] : pathsIn(value, whole, `${path}.`)
  })
}
