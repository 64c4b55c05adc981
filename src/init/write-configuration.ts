import type { Json, JsonObject } from '../model/json.ts'
import { writeYaml } from '../yaml/write-yaml.ts'
import type { ChosenService } from './answers.ts'

/** What a place asks of the configuration. */
export interface ConfigurationNeeds {
  /** Where the key comes from, such as `${ACME_KEY}`. */
  readonly key: string
  /** The path of the history; undefined where the place names it in another way. */
  readonly history: string | undefined
  /** Whether a worker runs there, and the address that it listens on; undefined: audits are started one by one. */
  readonly worker: { readonly listen: string | undefined } | undefined
}

/** Writes `hookdrift.yaml`. */
export function writeConfiguration(
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
