import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { readConfiguration } from '../../src/config/read-configuration.ts'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import { readPolicy } from '../../src/policy/read-policy.ts'
import { checkout, textOf } from './build-image.ts'
import { composeFaults, manifestFaults } from './file-schemas.ts'
import { complaintOf } from './parse-command.ts'
import { environmentOf, readDockerfile, settingOf, wordsOf } from './read-dockerfile.ts'

const image = readDockerfile(textOf('Dockerfile')).at(-1)
const state = settingOf(image, 'VOLUME') ?? ''
const port = Number(settingOf(image, 'EXPOSE'))
const compose = parse(textOf('compose.yaml'), { merge: true })
const manifestsIn = (names: readonly string[]) =>
  names.flatMap((name) =>
    parseAllDocuments(textOf(`deploy/kubernetes/${name}.yaml`)).map((document) => document.toJS()),
  )
const manifests = manifestsIn(['volume/volume', 'worker/deployment', 'service/service', 'cronjob/cronjob'])
const ofKind = (kind: string) => manifests.find((manifest) => manifest.kind === kind)
const pods = { worker: ofKind('Deployment').spec.template, audit: ofKind('CronJob').spec.jobTemplate.spec.template }
const sharedManifests = manifestsIn(['shared/deployment', 'shared/disruption-budget'])
const [shared, budget] = sharedManifests

describe('the image', () => {
  it.each(['worker', 'audit', 'demo'])('runs %s by its entry point', async (command) => {
    expect(wordsOf(image, 'ENTRYPOINT')).toEqual(['hookdrift'])
    expect(await complaintOf([command])).toBe('')
  })

  it('runs the worker by default, and its health check asks status', async () => {
    expect(wordsOf(image, 'CMD')).toEqual(['worker'])
    const [program, ...args] = wordsOf(image, 'HEALTHCHECK')
    expect(program).toBe('hookdrift')
    expect(args.slice(0, 2)).toEqual(['status', '--max-age'])
    expect(await complaintOf(args)).toBe('')
  })

  it('is built on a Node that the package supports, by tag, and downloads nothing but packages', () => {
    const stages = readDockerfile(textOf('Dockerfile'))
    expect(new Set(stages.map(({ base }) => base))).toEqual(new Set(['node:24-bookworm-slim']))
    const runs = stages.flatMap(({ instructions }) => instructions).filter(({ name }) => name === 'RUN')
    expect(runs.filter(({ rest }) => /curl|wget|apt|https?:/.test(rest))).toEqual([])
    expect(stages.at(-1)?.instructions.map(({ name }) => name)).not.toContain('RUN')
  })
})

describe('compose.yaml', () => {
  it('follows the Compose specification', () => {
    expect(composeFaults(compose)).toBe(null)
    const misspelt = { ...compose, services: { worker: { ...compose.services.worker, comand: [] } } }
    expect(composeFaults(misspelt)).not.toBe(null)
  })

  it('contains commands that the program knows', async () => {
    const { service, worker } = compose.services
    expect(await complaintOf(service.command)).toBe('')
    expect(worker.command).toBe(undefined)
    const [how, program, ...args] = worker.healthcheck.test
    expect([how, program]).toEqual(['CMD', 'hookdrift'])
    expect(await complaintOf(args)).toBe('')
  })

  it('has a worker that audits the demo service with the key of its fleet', () => {
    const fleet = generateFleet({ endpointsPerProject: 12, sourcesPerProject: 4 })
    const key = textOf('deploy/compose/demo-secret')
    const readFile = (file: string) => (file === '/run/secrets/demo-key' ? key : readFileSync(file, 'utf8'))
    const file = join(checkout, 'deploy/compose/hookdrift.yaml')
    const read = readConfiguration(file, { env: environmentOf(image), readFile })
    const [service] = read.services
    expect(service?.settings.url).toBe(`http://service:${compose.services.service.command.at(-1).split(':').at(-1)}`)
    const projects = fleet.projects().map(({ uid, name }) => ({ uid, name: `demo/${name}` }))
    expect(service?.projects.map(({ ref }) => ref)).toMatchObject(projects.map(({ name }) => ({ name })))
    expect(textOf('deploy/compose/hookdrift.yaml').match(/id: \w+/g)).toEqual(projects.map(({ uid }) => `id: ${uid}`))
    expect(key.trim()).toBe(fleet.personalKey)
    expect(key).toContain('not-a-real-key')
    expect(read.listen).toEqual({ host: '0.0.0.0', port })
    expect(read.history.displayName).toBe(`${state}/hookdrift.db`)
    expect(() => readPolicy(read.policy, readFile, 0)).not.toThrow()
  })

  it('mounts what the image expects, publishes on the loopback address only, and keeps all else read-only', () => {
    const { service, worker } = compose.services
    expect(worker.volumes).toEqual([
      `./deploy/compose:${settingOf(image, 'WORKDIR')}:ro`,
      expect.stringMatching(new RegExp(`^\\w+:${state}$`)),
    ])
    expect(worker.ports).toEqual([`127.0.0.1:${port}:${port}`])
    for (const { read_only, cap_drop } of [service, worker])
      expect({ read_only, cap_drop }).toEqual({ read_only: true, cap_drop: ['ALL'] })
  })
})

describe('shared.yaml', () => {
  const file = parse(textOf('deploy/compose/shared.yaml'), { merge: true })
  const secretsIn = 'deploy/compose/shared-secrets'

  it('follows the Compose specification, with commands that the program knows', async () => {
    expect(composeFaults(file)).toBe(null)
    const { service, upgrade, worker } = file.services
    expect(await complaintOf(service.command)).toBe('')
    expect(await complaintOf(upgrade.command)).toBe('')
    expect(worker.command).toBe(undefined)
    const [how, program, ...args] = worker.healthcheck.test
    expect([how, program]).toEqual(['CMD', 'hookdrift'])
    expect(await complaintOf(args)).toBe('')
  })

  it('has workers that share a history on its database, once that is upgraded', () => {
    const read = readShared('deploy/compose/shared/hookdrift.yaml', (path) => {
      if (path === '/run/secrets/demo-key') return textOf('deploy/compose/demo-secret')
      return textOf(path.replace('/run/secrets', secretsIn))
    })
    const { postgres, upgrade, worker } = file.services
    expect(read.history).toMatchObject({ kind: 'postgres', displayName: 'postgres://postgres/hookdrift' })
    expect(read.history).toMatchObject({
      server: { user: postgres.environment.POSTGRES_USER, database: postgres.environment.POSTGRES_DB },
    })
    expect(read.history).toMatchObject({ server: { password: textOf(`${secretsIn}/database-password`).trim() } })
    expect(worker.depends_on.upgrade).toEqual({ condition: 'service_completed_successfully' })
    expect(upgrade.depends_on.postgres).toEqual({ condition: 'service_healthy' })
    expect(worker.deploy.replicas).toBe(3)
    for (const { environment, volumes, read_only } of [worker, upgrade])
      expect({ environment, volumes, read_only }).toEqual({
        environment: { HOOKDRIFT_HISTORY: '' },
        volumes: [`./shared:${settingOf(image, 'WORKDIR')}:ro`],
        read_only: true,
      })
  })

  it('audits the service of compose.yaml with its policy', () => {
    const servicesOf = (path: string) => parse(textOf(path)).services
    expect(servicesOf('deploy/compose/shared/hookdrift.yaml')).toEqual(servicesOf('deploy/compose/hookdrift.yaml'))
    expect(textOf('deploy/compose/shared/policy.yaml')).toBe(textOf('deploy/compose/policy.yaml'))
  })
})

/** Reads a configuration as the shared deployments do: the image's history is left out. */
function readShared(path: string, readSecret: (path: string) => string) {
  const readFile = (file: string) => (file.startsWith('/run/secrets') ? readSecret(file) : readFileSync(file, 'utf8'))
  const env = { ...environmentOf(image), HOOKDRIFT_HISTORY: '' }
  const read = readConfiguration(join(checkout, path), { env, readFile })
  expect(read.listen).toEqual({ host: '0.0.0.0', port })
  expect(read.history.sealKey?.length).toBeGreaterThanOrEqual(32)
  return read
}

describe('the Kubernetes workers that share a history', () => {
  const { spec, metadata } = shared.spec.template
  const [container] = spec.containers
  const [upgrade] = spec.initContainers

  it('upgrade the history before they start, and write temporary files only', async () => {
    expect(await complaintOf(upgrade.args)).toBe('')
    expect(await complaintOf(container.args)).toBe('')
    for (const part of ['env', 'securityContext', 'volumeMounts']) expect(upgrade[part]).toEqual(container[part])
    expect(container.env).toContainEqual({ name: 'HOOKDRIFT_HISTORY', value: '' })
    expect(container.securityContext).toEqual(pods.worker.spec.containers[0].securityContext)
    const writable = container.volumeMounts.filter(({ readOnly }: { readOnly?: boolean }) => readOnly !== true)
    expect(writable).toEqual([{ name: 'temporary', mountPath: environmentOf(image).TMPDIR }])
    expect(spec.volumes).toContainEqual({ name: 'temporary', emptyDir: {} })
    expect(parse(textOf('deploy/kubernetes/shared/kustomization.yaml')).resources).not.toContain('../volume')
  })

  it('are several, of which one at a time is taken away', () => {
    expect(shared.spec.replicas).toBeGreaterThan(1)
    expect(budget.spec).toEqual({ maxUnavailable: 1, selector: { matchLabels: metadata.labels } })
    expect(ofKind('Service').spec.selector).toEqual(metadata.labels)
  })

  it('have a valid configuration, with secrets from the mounted one', () => {
    const secret = 'not-a-real-secret-of-32-characters'
    const { history } = readShared('deploy/kubernetes/shared/hookdrift.yaml', () => secret)
    expect(history).toMatchObject({ displayName: 'postgres://postgres.example.com/hookdrift' })
    expect(history).toMatchObject({ server: { password: secret, tls: 'verify-full' } })
  })
})

describe('the Kubernetes manifests', () => {
  it.each([...manifests, ...sharedManifests].map((manifest) => [manifest.kind, manifest]))(
    '%s follows its schema',
    (_, manifest) => {
      expect(manifestFaults(manifest)).toEqual([])
      expect(manifestFaults({ ...manifest, spec: { ...manifest.spec, replica: 1 } })).not.toEqual([])
    },
  )

  it.each(Object.entries(pods))('%s: the program knows its arguments', async (_, { spec }) => {
    expect(await complaintOf(spec.containers[0].args)).toBe('')
  })

  it.each(Object.entries(pods))(
    '%s: the pod has the image’s user, no privilege, and only the volume to write to',
    (_, pod) => {
      const [container] = pod.spec.containers
      const [uid, gid] = (settingOf(image, 'USER') ?? '').split(':').map(Number)
      expect(pod.spec.securityContext).toMatchObject({
        runAsNonRoot: true,
        runAsUser: uid,
        runAsGroup: gid,
        fsGroup: gid,
      })
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
      const writable = container.volumeMounts.filter(({ readOnly }: { readOnly?: boolean }) => readOnly !== true)
      expect(writable).toEqual([{ name: 'history', mountPath: state }])
      expect(container.volumeMounts).toContainEqual({
        name: 'configuration',
        mountPath: settingOf(image, 'WORKDIR'),
        readOnly: true,
      })
      // No key and no secret in it: the memory that Node may take, below the container's limit.
      expect(container.env).toEqual([
        { name: 'NODE_OPTIONS', value: expect.stringMatching(/^--max-[\w=-]+ --max-[\w=-]+$/) },
      ])
      expect(pod.spec.volumes.map(({ name }: { name: string }) => name).sort()).toEqual(
        container.volumeMounts.map(({ name }: { name: string }) => name).sort(),
      )
    },
  )

  it('contain a valid configuration, with keys from the mounted secret', () => {
    const keys = pods.worker.spec.containers[0].volumeMounts.find(({ name }: { name: string }) => name === 'keys')
    const readFile = (file: string) => (file.startsWith(keys.mountPath) ? 'not-a-real-key' : readFileSync(file, 'utf8'))
    const file = join(checkout, 'deploy/kubernetes/base/hookdrift.yaml')
    const read = readConfiguration(file, { env: environmentOf(image), readFile })
    expect(read.listen).toEqual({ host: '0.0.0.0', port })
    expect(read.history.displayName).toBe(`${state}/hookdrift.db`)
    expect(() => readPolicy(read.policy, readFile, 0)).not.toThrow()
  })

  it('probe the port of the worker and select its pods only', () => {
    const [container] = pods.worker.spec.containers
    expect(container.ports).toEqual([{ name: 'http', containerPort: port }])
    const paths = ['startupProbe', 'livenessProbe', 'readinessProbe'].map((probe) => container[probe].httpGet)
    expect(paths).toEqual(['/healthz', '/healthz', '/readyz'].map((path) => ({ path, port: 'http' })))
    const { selector, publishNotReadyAddresses } = ofKind('Service').spec
    expect({ ...pods.worker.metadata.labels }).toEqual(selector)
    expect(pods.audit.metadata.labels).not.toEqual(selector)
    expect(publishNotReadyAddresses).toBe(true)
    expect(ofKind('Deployment').spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } })
  })

  it('allow one audit at a time, and retry only errors that may pass', () => {
    const { concurrencyPolicy, jobTemplate } = ofKind('CronJob').spec
    expect(concurrencyPolicy).toBe('Forbid')
    const [, codes] = jobTemplate.spec.podFailurePolicy.rules
    expect(codes).toMatchObject({ action: 'FailJob', onExitCodes: { operator: 'In', values: [1, 2, 3, 4] } })
    // The default of run_timeout, in seconds.
    expect(jobTemplate.spec.activeDeadlineSeconds).toBeGreaterThan(3600)
  })

  it('are assembled by kustomizations whose files exist', () => {
    for (const folder of ['base', 'volume', 'service', 'worker', 'cronjob', 'shared']) {
      const { resources = [], configMapGenerator = [] } = parse(
        textOf(`deploy/kubernetes/${folder}/kustomization.yaml`),
      )
      const files = configMapGenerator.flatMap(({ files }: { files: readonly string[] }) => files)
      const missing = [...resources, ...files].filter(
        (name) => !existsSync(join(checkout, 'deploy/kubernetes', folder, name)),
      )
      expect(missing).toEqual([])
      const unnamed = readdirSync(join(checkout, 'deploy/kubernetes', folder)).filter(
        (name) => name !== 'kustomization.yaml' && ![...resources, ...files].includes(name),
      )
      expect(unnamed).toEqual([])
    }
  })
})
