import { parse } from 'yaml'

interface Step {
  readonly uses?: string
  readonly run?: string
  readonly with?: Readonly<Record<string, unknown>>
}

interface Job {
  readonly permissions?: unknown
  readonly secrets?: unknown
  readonly 'timeout-minutes'?: number
  readonly steps?: readonly Step[]
}

interface Workflow {
  readonly on: unknown
  readonly permissions?: unknown
  readonly concurrency?: unknown
  readonly jobs: Readonly<Record<string, Job>>
}

/** What a stranger's pull request could run with the rights of the repository. */
const dangerous = ['pull_request_target', 'workflow_run']

/**
 * How a GitHub workflow could be used against its repository, as sentences; empty for one that cannot. The names are
 * those of zizmor's audits, https://docs.zizmor.sh/audits, which also runs where it is installed.
 */
export function workflowFaults(text: string): readonly string[] {
  const workflow: Workflow = parse(text)
  const { permissions, concurrency, jobs } = workflow
  const triggers = triggersOf(workflow.on)
  return [
    ...unpinnedUses(text),
    ...triggers.filter((name) => dangerous.includes(name)).map((name) => `dangerous-triggers: ${name}`),
    ...(isEmpty(permissions) ? [] : ['excessive-permissions: the workflow does not begin with none (permissions: {})']),
    ...(concurrency === undefined ? ['concurrency-limits: two runs may meet'] : []),
    ...Object.entries(jobs).flatMap(([name, job]) => jobFaults(name, job, publishes(workflow))),
  ]
}

/** What of an action or a workflow may become something else without a change of ours: it is not named by its commit. */
export function unpinnedUses(text: string): readonly string[] {
  return [...text.matchAll(/^\s*(?:- )?uses: *(.*)$/gm)]
    .map(([, used = '']) => used)
    .filter((used) => !used.startsWith('./') && !/^[\w-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(used))
    .map((used) => `unpinned-uses: ${used}`)
}

/** What Dependabot would take on the day of its release. */
export function dependabotFaults(text: string): readonly string[] {
  const { updates }: { updates: readonly { 'package-ecosystem': string; cooldown?: { 'default-days'?: number } }[] } =
    parse(text)
  return updates
    .filter(({ cooldown }) => (cooldown?.['default-days'] ?? 0) < 7)
    .map((update) => `dependabot-cooldown: ${update['package-ecosystem']} does not wait a week`)
}

function jobFaults(name: string, job: Job, isForRelease: boolean) {
  const { permissions, secrets, steps = [], 'timeout-minutes': timeout } = job
  return [
    ...(typeof permissions === 'object' ? [] : [`excessive-permissions: ${name} does not list what it needs`]),
    ...(secrets === 'inherit' ? [`secrets-inherit: ${name}`] : []),
    ...(timeout === undefined ? [`timeout: ${name} may run for hours`] : []),
    ...steps.flatMap(({ uses = '', run = '', with: given = {} }) => [
      ...(run.includes('${{') ? [`template-injection: ${name} runs ${run.slice(0, 60)}`] : []),
      ...(uses.startsWith('actions/checkout@') && given['persist-credentials'] !== false
        ? [`artipacked: ${name} leaves its token in the checkout`]
        : []),
      ...(isForRelease && keepsCache(uses, run, given) ? [`cache-poisoning: ${name} takes ${uses || 'a cache'}`] : []),
    ]),
  ]
}

/** Whether a tag or a release starts it: what it makes goes to users. */
function publishes({ on }: Workflow) {
  return triggersOf(on).includes('release') || /"tags"/.test(JSON.stringify(on))
}

/** The names of what starts it: one, a list, or the keys of an object. */
function triggersOf(on: unknown) {
  if (Array.isArray(on)) return on.map(String)
  return typeof on === 'object' && on !== null ? Object.keys(on) : [String(on)]
}

function keepsCache(uses: string, run: string, given: Readonly<Record<string, unknown>>) {
  if (uses.startsWith('actions/cache')) return true
  if (uses.startsWith('actions/setup-node@')) return given['package-manager-cache'] !== false || 'cache' in given
  return /--cache-(?:from|to)/.test(run) || 'cache-from' in given
}

function isEmpty(value: unknown) {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}
