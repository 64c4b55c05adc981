import { z } from 'zod'
import { hostsSchema, listenSchema } from './listen-schema.ts'
import { duration } from './measures.ts'
import { projectPatterns } from './project-patterns.ts'

export const runTimeout = duration({ from: '1s', to: '24h' })

const scheduleName = z
  .string()
  .regex(/^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/, { error: 'letters, digits, `.`, `_` and `-`, at most 100' })

/** The worker checks whether a pattern and a zone make a timetable: see `check-schedules.ts`. */
export const scheduleSchema = z.strictObject({
  name: scheduleName.describe('Its name in the log and in metrics'),
  cron: z
    .string()
    .regex(/^[^\0-\x1f\x7f]{1,200}$/, {
      error: 'five fields (minute hour day month weekday), or six with seconds first, at most 200 characters',
    })
    .describe('Five fields: minute, hour, day, month, weekday; or six, with seconds first'),
  timezone: z
    .string()
    .regex(/^[A-Za-z0-9_+/-]{1,64}$/, { error: 'a time zone such as Europe/Berlin, at most 64 characters' })
    .default('UTC')
    .describe('The zone whose clock the pattern reads, such as Europe/Berlin'),
  jitter: duration({ from: '0s', to: '24h' })
    .prefault('0s')
    .describe('Each run begins up to this much later, at random, so that workers do not all send requests at once'),
  projects: projectPatterns.exactOptional(),
  probes: z.boolean().default(true).describe('Whether its runs run the probes of the policy'),
  run_on_start: z.boolean().default(false).describe('Run once when the worker starts'),
  run_timeout: runTimeout.exactOptional().describe("For this schedule's runs. Default: the configuration's"),
})

export const workerSchema = z.strictObject({
  listen: listenSchema.exactOptional().describe('The address of /healthz, /readyz and /metrics. Default: none'),
  hosts: hostsSchema.exactOptional(),
  pages: z
    .boolean()
    .exactOptional()
    .describe('Serve the pages at `listen` too, to the readers that `serve` names. Default: false'),
  shared: z
    .boolean()
    .exactOptional()
    .describe(
      'Share all runs with the other workers of the history, which must be on a PostgreSQL server. Default: false',
    ),
  slots: z
    .int()
    .min(1)
    .max(256)
    .exactOptional()
    .describe('Projects that a worker with `shared: true` scans at once. Default: 16'),
  services: z
    .array(z.string().regex(/^[A-Za-z0-9_][A-Za-z0-9._-]{0,199}$/, { error: 'the name of a service' }))
    .min(1)
    .max(1000)
    .exactOptional()
    .describe('Services whose projects a worker with `shared: true` scans. Default: all'),
})
