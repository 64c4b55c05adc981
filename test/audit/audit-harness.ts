import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AuditedProject, AuditedService } from '../../src/audit/audited-project.ts'
import { discoverProjects } from '../../src/audit/discover-projects.ts'
import type { OnBug } from '../../src/audit/open-run.ts'
import { type Audit, type AuditAll, type AuditDependencies, runAudit } from '../../src/audit/run-audit.ts'
import { createSealer } from '../../src/gateway/inventory/sealer.ts'
import { createServiceClient } from '../../src/gateway/service/create-service-client.ts'
import { defaultDialect } from '../../src/gateway/service/dialect.ts'
import type { ServiceClient } from '../../src/gateway/service/service-client.ts'
import {
  defaultLimits,
  type Filters,
  type Limits,
  type Offers,
  type Patience,
} from '../../src/gateway/service/settings.ts'
import type { History } from '../../src/history/history.ts'
import type { ComposeNotifications } from '../../src/history/notification-facts.ts'
import type { LocalProcess } from '../../src/history/sqlite/lease.ts'
import { openSqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import type { Report } from '../../src/model/report.ts'
import type { ProjectRef } from '../../src/model/resource.ts'
import { unknownScope } from '../../src/model/run-scope.ts'
import type { Clock } from '../../src/model/time.ts'
import type { FailOn } from '../../src/model/violation.ts'
import type { Policy } from '../../src/policy/policy.ts'
import { readPolicy } from '../../src/policy/read-policy.ts'
import { checkDocument } from '../documents.ts'
import { faultsIn } from './verify-history-file.ts'

export interface AuditHarnessOptions {
  readonly projects: Readonly<Record<string, string>>
  readonly key: string
  readonly pageSize?: number
  readonly listings?: Partial<Offers>
  readonly limits?: Partial<Limits>
  /** Of every project. */
  readonly labels?: Readonly<Record<string, string>>
  /** Projects at once. Default: 2. */
  readonly concurrency?: number
  /** How the projects of a run are audited. Default: in this process. */
  readonly auditAll?: AuditAll
  /** Opens another history than a file. */
  readonly openHistory?: () => Promise<History>
  /** When its clock begins, in ISO 8601. Default: 2026-11-21T03:00:00Z. */
  readonly startsAt?: string
  /** Conducts runs in place of `runAudit`. */
  readonly conduct?: (audit: Audit, dependencies: AuditDependencies) => Promise<Report>
}

/** What the configuration says of the service's list of projects. */
export interface ListTurn {
  readonly organisation?: string
  /** Patterns with labels; without any, the list decides nothing. */
  readonly matches?: readonly { readonly pattern: string; readonly labels?: AuditHarnessOptions['labels'] }[]
  /** Which of the harness's projects are named. Default: all. */
  readonly named?: readonly string[]
}

export interface AuditTurn {
  readonly url: string
  /** Of projects that are at another service, by name. */
  readonly urls?: Readonly<Record<string, string>>
  /** Default: the policy of the audit before; at first, rules that this file names. */
  readonly policy?: Policy
  readonly only?: readonly string[]
  /** Default: no list of projects is read. */
  readonly list?: ListTurn
  readonly listings?: AuditHarnessOptions['listings']
  readonly filters?: Filters
  readonly keys?: Readonly<Record<string, string>>
  readonly installationKey?: number
  readonly failOn?: FailOn
  readonly runsProbes?: boolean
  /** Default: long, as a worker has it. */
  readonly patience?: Patience
  /** Where the key of each project is configured. */
  readonly keyOrigin?: string
  /** Where the URL of the service is configured. */
  readonly urlOrigin?: string
  /** Certificates to trust. */
  readonly ca?: string
  /** Time limits of requests; those of the system where nothing is said. */
  readonly timeoutAfter?: (ms: number) => AbortSignal
  readonly acceptsRemovals?: boolean
  /** What else a configuration says of projects. */
  readonly naming?: Audit['naming']
  /** Default: 2000. */
  readonly filtersPerRun?: number
  readonly pageSize?: number
  readonly labels?: AuditHarnessOptions['labels']
  readonly toolVersion?: string
  readonly configurationDigest?: string
  readonly signal?: AbortSignal
  readonly compose?: ComposeNotifications | undefined
  /** Comes between an audit and the client of a project. */
  readonly between?: (project: string, client: ServiceClient) => ServiceClient
  /** Called with a bug of hookdrift. Default: the bug ends the run. */
  readonly onBug?: OnBug
}

/** A history of its own in a temporary directory, and audits against it on a clock that never waits. */
export function openAuditHarness({
  projects,
  key,
  pageSize = 20,
  listings = {},
  limits = {},
  labels = {},
  concurrency = 2,
  auditAll,
  openHistory,
  startsAt = '2026-11-21T03:00:00Z',
  conduct = (audit, dependencies) => runAudit(audit, dependencies, auditAll),
}: AuditHarnessOptions) {
  const directory = mkdtempSync(join(tmpdir(), 'hookdrift-'))
  const file = join(directory, 'hookdrift.db')
  let now = Date.parse(startsAt)
  let policy = testPolicy
  const clock: Clock = {
    now: () => now,
    async sleep(ms, signal) {
      signal?.throwIfAborted()
      now += ms
    },
  }
  const owner: LocalProcess = {
    host: 'host-1',
    bootId: 'boot',
    pid: process.pid,
    isAlive: () => false,
    now: () => now,
    every: () => () => {},
  }

  const open = async (): Promise<History> => (await openHistory?.()) ?? openSqliteHistory(file, owner)

  async function audit(turn: AuditTurn): Promise<Report> {
    now += 60_000
    policy = turn.policy ?? policy
    const clients = new Map<string, ServiceClient>()
    const clientOf = (url: string): ServiceClient => {
      const client =
        clients.get(url) ??
        createServiceClient(
          {
            name: 'acme',
            url,
            pageSize: turn.pageSize ?? pageSize,
            limits: { ...defaultLimits, ...limits },
            dialect: defaultDialect,
            ca: turn.ca,
            connections: 4,
          },
          {
            clock,
            random: () => 0.5,
            env: {},
            patience: turn.patience,
            ...(turn.timeoutAfter && { timeoutAfter: turn.timeoutAfter }),
          },
        )
      clients.set(url, client)
      return client
    }
    const { between = (_, client) => client } = turn
    const projectOf = (ref: ProjectRef, name: string): AuditedProject => ({
      ref,
      key: turn.keys?.[name] ?? key,
      ...(turn.keyOrigin !== undefined && { keyOrigin: turn.keyOrigin }),
      ...(turn.urlOrigin !== undefined && { urlOrigin: turn.urlOrigin }),
      configuredAt: null,
      labels: turn.labels ?? labels,
      filters: turn.filters ?? {},
      client: between(name, clientOf(turn.urls?.[name] ?? turn.url)),
      // What is read besides is switched on where a test is about it, so that it changes no expectation about the rest.
      listings: { sources: 'auto', project: 'auto', event_types: 'off', filters: 'off', ...listings, ...turn.listings },
      filtersPerRun: turn.filtersPerRun ?? 2000,
    })
    const all = Object.entries(projects).map(([name, uid]) =>
      projectOf({ name: `acme/${name}`, service: 'acme', uid }, name),
    )
    const serviceOf = ({ url, keys }: AuditTurn, { organisation, matches = [], named }: ListTurn): AuditedService => ({
      name: 'acme',
      client: clientOf(url),
      key: keys?.['*'] ?? key,
      organisation,
      named: all.filter(({ ref }) => named === undefined || named.includes(ref.name)),
      otherNames: [],
      namedElsewhere: new Set(),
      matches: matches.map(({ pattern, labels = {} }) => ({ pattern, labels, configuredAt: null })),
      open: (ref, { labels, configuredAt }) => ({ ...projectOf(ref, ref.name.slice(5)), labels, configuredAt }),
    })
    const history = await open()
    const sealer = createSealer(Buffer.alloc(32, turn.installationKey ?? 1))
    const signal = turn.signal ?? new AbortController().signal
    const services = turn.list === undefined ? [] : [serviceOf(turn, turn.list)]
    try {
      const found =
        turn.list === undefined
          ? { projects: all, lists: [] }
          : await discoverProjects(services, { history, sealer, clock, signal })
      const chosen = found.projects.filter(({ ref }) => turn.only === undefined || turn.only.includes(ref.name))
      const areListed = found.lists.every(({ coverage }) => coverage.status === 'complete')
      const report = await conduct(
        {
          projects: chosen,
          lists: found.lists,
          services: services.filter(({ matches }) => matches.length === 0),
          isWholeFleet: areListed && chosen.length === found.projects.length,
          scope: {
            ...unknownScope,
            unscanned: namesOf(found.projects).filter((name) => !namesOf(chosen).includes(name)),
          },
          concurrency,
          policy,
          configurationDigest: turn.configurationDigest ?? 'configuration',
          failOn: turn.failOn ?? 'medium',
          runsProbes: turn.runsProbes ?? true,
          acceptsRemovals: turn.acceptsRemovals ?? false,
          ...(turn.naming === undefined ? {} : { naming: turn.naming }),
        },
        {
          history,
          sealer,
          clock,
          signal,
          toolVersion: turn.toolVersion ?? '0.0.0',
          onPage: () => {},
          onInterrupted: () => {},
          composeNotifications: turn.compose,
          onBug:
            turn.onBug ??
            ((_, error) => {
              throw error
            }),
        },
      )
      return checkDocument(report)
    } finally {
      await history.close()
      for (const client of clients.values()) await client.close()
    }
  }

  return {
    audit,
    file,
    directory,
    clock,
    owner,
    advance: (ms: number) => {
      now += ms
    },
    /** Opens the history, and closes it after some work. */
    async withHistory<Result>(work: (history: History) => Promise<Result>): Promise<Result> {
      const history = await open()
      return await work(history).finally(() => history.close())
    },
    /** A history verifies in the end, no matter what a test did to it. */
    [Symbol.asyncDispose]: async () => {
      const faults = openHistory === undefined ? await faultsIn(file) : []
      rmSync(directory, { recursive: true, force: true })
      if (faults.length > 0) throw new Error(`the history does not verify: ${faults.join('; ')}`)
    },
  }
}

const policies = new Map<string, Policy>()

/** Named one by one, so that a new rule changes no expectation about drift or coverage. */
export const testPolicy = policyOf(`
extends: []
rules:
  endpoint/inactive: {}
  endpoint/rate-limit-ineffective: {}
  endpoint/secret-expired-active: {}
  endpoint/secret-missing: {}
  endpoint/secret-shared: {}
  endpoint/url-metadata-address: {}
  endpoint/url-not-https: {}
  project/retry-hammering: {}
  source/disabled: {}
  source/unverified: {}
  subscription/settings-ignored: medium
  subscription/target-missing: {}
  subscription/target-not-active: {}
`)

/**
 * `files`: others that it names, by their absolute paths; the policy itself lies in `/etc`. Read once: many tests audit
 * with the same few policies.
 */
export function policyOf(yaml: string, files: Readonly<Record<string, string>> = {}): Policy {
  const key = JSON.stringify([yaml, files])
  const policy = policies.get(key) ?? readPolicyOf(yaml, files)
  policies.set(key, policy)
  return policy
}

function readPolicyOf(yaml: string, files: Readonly<Record<string, string>>): Policy {
  return readPolicy('/etc/policy.yaml', (file) => {
    const text = file === '/etc/policy.yaml' ? yaml : files[file]
    if (text === undefined) throw new Error(`ENOENT: no such file, open '${file}'`)
    return text
  })
}

function namesOf(projects: readonly AuditedProject[]): string[] {
  return projects.map(({ ref }) => ref.name)
}
