import { matchesProject, projectScope } from '../config/choose-projects.ts'
import type { PlannedRuns } from '../config/configuration.ts'
import type { ProjectScope } from '../history/reader.ts'
import { findLastRun } from '../history/sql/runs.ts'
import type { SiteConfiguration, SiteHistory, SitePlan, SiteScope } from './page.ts'
import { readScans } from './run-facts.ts'

interface Whole {
  history(): Promise<SiteHistory>
  readonly plan?: SitePlan
}

/** The options of a site for readers of some projects: the history and the plan show no others. */
export function scopeSite<Options extends Whole>(
  options: Options,
  projects: readonly string[],
): Options & { readonly scope: SiteScope } {
  const scope = projectScope(projects)
  // Caches hang on the history: one for as long as the opened one lasts.
  const scoped = new WeakMap<SiteHistory, SiteHistory>()
  const { plan } = options
  const openScoped = async () => {
    const history = await options.history()
    const forScope = scoped.get(history) ?? history.within(scope)
    scoped.set(history, forScope)
    return forScope
  }
  return {
    ...options,
    scope: { projects },
    history: openScoped,
    ...(plan === undefined ? {} : { plan: scopedPlan(plan, scope, openScoped) }),
  }
}

/** Workers read every project, so readers of some projects do not learn what they do. */
function scopedPlan(plan: SitePlan, scope: ProjectScope, openScoped: Whole['history']): SitePlan {
  return {
    async configured() {
      const whole = await plan.configured()
      return whole && scopedConfiguration(whole, scope, await readFound(await openScoped(), whole))
    },
    pool: async () => undefined,
    gatewayOf: (project) => plan.gatewayOf(project),
  }
}

/** The reader's projects that the configuration does not name: the lists of their services showed them. */
async function readFound(history: SiteHistory, { expected }: SiteConfiguration): Promise<readonly string[]> {
  const run = await findLastRun(history)
  const scans = run === undefined ? [] : await readScans({ history, run })
  return scans.flatMap(({ project }) => (expected.isDiscovered(project) ? [project.name] : []))
}

function scopedConfiguration(
  { expected, schedules }: SiteConfiguration,
  scope: ProjectScope,
  found: readonly string[],
): SiteConfiguration {
  const named = expected.named.filter(scope.has)
  return {
    expected: { ...expected, named },
    schedules: schedules.flatMap((schedule) => scopedSchedule(schedule, [...named, ...found])),
    channels: [],
  }
}

/** A schedule of the reader's projects, by patterns that fit one of them; patterns may be names of others. */
function scopedSchedule(schedule: PlannedRuns, own: readonly string[]): PlannedRuns[] {
  if (schedule.projects.length === 0) return [schedule]
  const projects = schedule.projects.filter((pattern) => own.some((name) => matchesProject(name, [pattern])))
  return projects.length === 0 ? [] : [{ ...schedule, projects }]
}
