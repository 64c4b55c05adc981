import { matchesProject, mayMatchIn } from '../config/choose-projects.ts'
import type { PlannedRuns } from '../config/read-configured-paths.ts'
import type { OpenHistory } from '../history/history.ts'
import { scopedHistory } from '../history/scoped-history.ts'
import type { Visibility } from '../history/visibility.ts'
import type { SiteConfiguration, SiteHistory, SitePlan, SiteScope } from './page.ts'

type IsVisible = Visibility['isVisible']

interface Whole {
  history(): Promise<SiteHistory>
  readonly plan?: SitePlan
}

/** The options of a site for readers of some projects: the history and the plan show no others. */
export function scopeSite<Options extends Whole>(
  options: Options,
  projects: readonly string[],
): Options & { readonly scope: SiteScope } {
  const isVisible: IsVisible = (name) => projects.length > 0 && matchesProject(name, projects)
  const seesService = (service: string) => projects.length > 0 && mayMatchIn(service, projects)
  // Caches hang on the history: one for as long as the opened one lasts.
  const scoped = new WeakMap<OpenHistory, OpenHistory>()
  const { plan } = options
  return {
    ...options,
    scope: { projects, isVisible },
    async history() {
      const history = await options.history()
      const forScope = scoped.get(history) ?? scopedHistory(history, { isWhole: false, isVisible, seesService })
      scoped.set(history, forScope)
      return forScope
    },
    ...(plan === undefined ? {} : { plan: scopedPlan(plan, isVisible) }),
  }
}

/** Workers read every project, so readers of some projects do not learn what they do. */
function scopedPlan(plan: SitePlan, isVisible: IsVisible): SitePlan {
  return {
    async configured() {
      const whole = await plan.configured()
      return whole && scopedConfiguration(whole, isVisible)
    },
    pool: async () => undefined,
    gatewayOf: (project) => plan.gatewayOf(project),
  }
}

function scopedConfiguration({ expected, schedules }: SiteConfiguration, isVisible: IsVisible): SiteConfiguration {
  const named = expected.named.filter(isVisible)
  return {
    expected: { ...expected, named },
    schedules: schedules.flatMap((schedule) => scopedSchedule(schedule, named)),
    channels: [],
  }
}

/** A schedule of visible projects, by patterns that fit one of them; patterns may be names of hidden ones. */
function scopedSchedule(schedule: PlannedRuns, visible: readonly string[]): PlannedRuns[] {
  if (schedule.projects.length === 0) return [schedule]
  const projects = schedule.projects.filter((pattern) => visible.some((name) => matchesProject(name, [pattern])))
  return projects.length === 0 ? [] : [{ ...schedule, projects }]
}
