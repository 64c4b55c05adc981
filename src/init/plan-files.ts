import { join } from 'node:path'
import { readConfiguration } from '../config/read-configuration.ts'
import { AuditError } from '../model/errors.ts'
import type { Json, JsonObject } from '../model/json.ts'
import { isAtLeast } from '../model/violation.ts'
import { readPolicy } from '../policy/read-policy.ts'
import { rules } from '../rules/rules.ts'
import { writeYaml } from '../yaml/write-yaml.ts'
import type { Answers, ChosenService } from './answers.ts'
import {
  type ConfigurationNeeds,
  type NextStep,
  type PlannedFile,
  type TargetFacts,
  targetPlans,
} from './target-plans.ts'

export interface Plan {
  readonly files: readonly PlannedFile[]
  /** Paths of two of the files. */
  readonly configuration: string
  readonly policy: string
  readonly next: readonly NextStep[]
}

/** All files of a set-up, and what to do with them. */
export function planFiles(answers: Answers, context: Pick<TargetFacts, 'version' | 'readPackageFile'>): Plan {
  const { service, keyVariable, target } = answers
  const { folder, needs, files, next } = targetPlans[target]({ ...context, service: service.name, keyVariable })
  const configuration = `${folder}hookdrift.yaml`
  const policy = `${folder}policy.yaml`
  // A schema in the directory is found in every clone, on every machine, and without a network.
  const schemas = (['hookdrift', 'policy'] as const).map((name) => ({
    path: `${folder}${schemaFile(name)}`,
    text: context.readPackageFile(`config/${name}.schema.json`),
  }))
  return {
    files: [
      { path: configuration, text: `${schemaComment('hookdrift')}${writeConfiguration(service, needs)}` },
      { path: policy, text: `${schemaComment('policy')}${writePolicy(answers)}` },
      ...files,
      ...schemas,
    ],
    configuration,
    policy,
    next,
  }
}

/** `hookdrift.yaml` for an audit from this machine, with the key from a variable and the history next to it. */
export function planTrial(answers: Pick<Answers, 'service' | 'keyVariable' | 'strictness'>): readonly PlannedFile[] {
  const key = `\${${answers.keyVariable}}`
  return [
    {
      path: 'hookdrift.yaml',
      text: writeConfiguration(answers.service, { key, history: undefined, worker: undefined }),
    },
    { path: 'policy.yaml', text: writePolicy({ strictness: answers.strictness, waivers: undefined }) },
  ]
}

/**
 * Reads configuration and policy as `hookdrift audit` will, before they are written. A key that is not there yet has a
 * made-up value.
 * @param directory absolute path of the chosen one
 * @throws Error when hookdrift would refuse what it is about to write, which is a bug
 */
export function checkFiles(
  { files, configuration, policy }: Plan,
  { directory, keyVariable, now }: { readonly directory: string; readonly keyVariable: string; readonly now: number },
): void {
  const texts = new Map(files.map(({ path, text }) => [join(directory, path), text]))
  const readFile = (path: string) => texts.get(path) ?? 'not-a-real-key'
  try {
    readConfiguration(join(directory, configuration), { env: { [keyVariable]: 'not-a-real-key' }, readFile })
    readPolicy(join(directory, policy), readFile, now)
  } catch (error) {
    if (!(error instanceof AuditError)) throw error
    throw new Error(`init made a file that hookdrift refuses: ${error.message}`, { cause: error })
  }
}

function schemaFile(name: 'hookdrift' | 'policy'): string {
  return `.schemas/${name}.schema.json`
}

function schemaComment(name: 'hookdrift' | 'policy'): string {
  return `# yaml-language-server: $schema=./${schemaFile(name)}\n`
}

/** Writes `hookdrift.yaml`. */
function writeConfiguration(
  { name, url, organisation, projects }: ChosenService,
  { key, history, worker }: ConfigurationNeeds,
): string {
  const service: JsonObject = {
    name,
    url,
    key,
    ...(organisation === undefined ? {} : { organisation }),
    projects: projects === 'all' ? 'all' : projects.map((project): Json => ({ ...project })),
  }
  return writeYaml({
    ...(history === undefined ? {} : { history }),
    policy: './policy.yaml',
    ...(worker?.listen === undefined ? {} : { worker: { listen: worker.listen } }),
    ...(worker === undefined ? {} : { schedules: [quarterHourly] }),
    services: [service],
  })
}

const quarterHourly = { name: 'quarter-hourly', cron: '*/15 * * * *', jitter: '30s', run_on_start: true }

/** Writes `policy.yaml`. */
function writePolicy({ strictness, waivers = '' }: Pick<Answers, 'strictness' | 'waivers'>): string {
  const base = writeYaml({ extends: ['recommended'] })
  const off = strictness === 'recommended' ? '' : `\n${explanation}${writeYaml({ rules: rulesOff() })}`
  return `${base}${off}${waivers === '' ? '' : `\n${waivers}`}`
}

const explanation = `# Only what is critical or high is evaluated. Delete a line to turn its rule on.
`

/** Rules that are about the policy itself stay: they find waivers that end. */
function rulesOff(): Record<string, 'off'> {
  const minor = rules.filter(
    ({ id, severity, packs }) =>
      packs.includes('recommended') && !isAtLeast(severity, 'high') && !id.startsWith('waiver/'),
  )
  return Object.fromEntries(minor.map(({ id }) => [id, 'off']))
}
