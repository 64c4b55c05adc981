import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import { type Owner, ownerPlaceholder } from '../release/owner.ts'

const checkout = join(import.meta.dirname, '../..')
const textOf = (path: string) => readFileSync(join(checkout, path), 'utf8')

interface ValueSchema {
  readonly description?: string
  readonly properties?: Readonly<Record<string, ValueSchema>>
  readonly definitions?: Readonly<Record<string, ValueSchema>>
  readonly $ref?: string
}

interface Value {
  readonly path: string
  readonly description: string | undefined
}

/** What the chart says about itself: the version is that of the package, and the places are the owner's. */
export function chartFile({ repository, homepage }: Pick<Owner, 'repository' | 'homepage'>): string {
  const { name, version, keywords, license } = JSON.parse(textOf('package.json'))
  const home = homepage === '' ? ownerPlaceholder : homepage
  const chart = {
    apiVersion: 'v2',
    name,
    description: 'Audits the configuration of Convoy webhook gateways, as a worker or as a CronJob',
    type: 'application',
    version,
    appVersion: version,
    // ReadWriteOncePod and podFailurePolicy.
    kubeVersion: '>=1.29.0-0',
    keywords,
    home,
    sources: [repository === '' ? home : repository],
    maintainers: [{ name, url: home }],
    annotations: {
      'artifacthub.io/category': 'security',
      'artifacthub.io/license': license,
    },
  }
  return `# Written by \`npm run reference\`, from package.json and release/owner.json.\n${stringify(chart)}`
}

/** What the chart deploys, and every value with its default. */
export function chartPage(): string {
  const { description, version } = parse(chartFile({ repository: '', homepage: '' }))
  const defaults = parse(textOf('deploy/helm/values.yaml'))
  const rows = chartValues(JSON.parse(textOf('deploy/helm/values.schema.json'))).map(({ path, description: said }) => {
    const value = path.split('.').reduce((parent, name) => parent[name], defaults)
    return `| \`${path}\` | ${said} | \`${JSON.stringify(value).replaceAll('|', '\\|')}\` |`
  })
  return `# The chart of hookdrift

${description}. Version ${version}. Written by \`npm run reference\`.

\`\`\`console
$ kubectl create secret generic hookdrift-keys --from-file=acme=./acme-key
$ helm install hookdrift ./deploy/helm --set image.repository=registry.example.com/hookdrift \\
    --set-file configuration=hookdrift.yaml --set-file policy=policy.yaml
\`\`\`

[Install](../../docs/how-to/install.md#with-helm) says more. No registry carries the image: build it, and push it to
yours. With \`workload: worker\` there is a Deployment that has its own schedules and serves metrics; with
\`workload: cronjob\`, a Job for each audit. The history is on a volume, or in a PostgreSQL database of yours. The chart
makes no Secret, no role and no account: the pods do not ask Kubernetes for anything.

These are off until a value turns them on:

- \`podMonitor\` and \`prometheusRule\`: metrics and alerts for the operator of Prometheus. Its resources must be in the
  cluster, and a cluster without them refuses the release. Set \`service.enabled\` to false where the Service is scraped
  as well: a worker would count twice.
- \`networkPolicy\`: pods reach DNS and the ports in \`egress\`, and only \`scrapedBy\` reaches the metrics. Name the
  port of a gateway, a proxy or a mail server that is not 443 first: without it, audits are incomplete.

## Values

| value | meaning | default |
|---|---|---|
${rows.join('\n')}
`
}

/** The values that a schema names, with what it says of each: an object of named members is as many as it has. `global` is Helm's. */
export function chartValues(schema: ValueSchema, parts = schema.definitions, parent = ''): readonly Value[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, value]) => {
    const path = `${parent}${name}`
    if (path === 'global') return []
    if (value.properties !== undefined) return chartValues(value, parts, `${path}.`)
    const named = parts?.[value.$ref?.split('/').at(-1) ?? '']
    return [{ path, description: value.description ?? named?.description }]
  })
}
