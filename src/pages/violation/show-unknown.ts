import type { RecordedScan } from '../../history/sql/scans.ts'
import type { EvaluatedRule } from '../../model/evaluation.ts'
import { isPolicyProject, type ProjectRef, projectKey } from '../../model/resource.ts'
import { toCoverage } from '../../questions/as-of.ts'
import type { ViolationRow } from '../../questions/violations.ts'
import type { AnswerCoverage } from '../../report/answer.ts'
import { gapsFor, isGap } from '../../report/gaps.ts'
import { html, type Markup, nothing } from '../../report/html/markup.ts'
import { rules } from '../../rules/rules.ts'
import { count } from '../../text/count.ts'
import type { SiteRequest } from '../page.ts'
import { readProjectEvaluations, readScans } from '../run-facts.ts'
import { showCauses } from '../show-causes.ts'

const mostNamed = 6

/** What the last scans left open about a violation. */
export interface ViolationGaps {
  /** Of its project; of all projects where its rule compares them, and for what is said of the policy. */
  readonly scans: readonly RecordedScan[]
  /** The walks that it depends on and that were not complete. */
  readonly gaps: readonly AnswerCoverage[]
}

interface Dependent extends Pick<EvaluatedRule, 'needs'> {
  readonly project: ProjectRef
  readonly row: ViolationRow
}

/** Which walks a violation depends on: those that its rule needs; all of them where these do not explain its state. */
export async function readViolationGaps(
  request: SiteRequest,
  { project, row, needs }: Dependent,
): Promise<ViolationGaps> {
  const all = await readScans(request)
  const key = projectKey(project)
  const isOfAll = isPolicyProject(project) || rules.find(({ id }) => id === row.rule)?.scope === 'fleet'
  const scans = isOfAll ? all : all.filter((scan) => projectKey(scan.project) === key)
  const needed = scans.flatMap((scan) => gapsFor({ needs }, toCoverage(scan)).filter(isGap))
  if (needed.length > 0 || row.state !== 'unknown') return { scans, gaps: needed }
  // What is found of other violations, or of waivers, depends on their walks.
  return { scans, gaps: scans.flatMap(toCoverage).filter(isGap) }
}

/** Why the last scan could not check a violation; nothing unless its state is unknown. */
export async function showUnknown(
  request: SiteRequest,
  row: ViolationRow,
  { scans, gaps }: ViolationGaps,
): Promise<Markup> {
  if (row.state !== 'unknown') return nothing
  const run = gaps[0]?.run ?? scans[0]?.run.number ?? request.run.number
  return html`<h2 id="unknown">Why it is unknown</h2>
<p>Run ${run} could not check it. ${gaps.length > 0 ? `Not complete: ${nameWalks(gaps)}.` : await describeRefusal(request, row)}</p>
${await showCauses(request, gaps)}`
}

/** `endpoints, sources of acme/shipping` */
function nameWalks(gaps: readonly AnswerCoverage[]): string {
  const projects = [...Map.groupBy(gaps, ({ project }) => project)]
  const named = projects
    .slice(0, mostNamed)
    .map(([project, walks]) => `${walks.map(({ listing }) => listing).join(', ')} of ${project}`)
  const left = projects.length - named.length
  return `${named.join('; ')}${left > 0 ? ` and of ${count(left, 'more project')}` : ''}`
}

/** What the run recorded of the rule. */
async function describeRefusal(request: SiteRequest, { project, rule }: ViolationRow): Promise<string> {
  const { notEvaluated = {} } = (await readProjectEvaluations(request)).get(project) ?? {}
  const reason = Object.hasOwn(notEvaluated, rule) ? notEvaluated[rule] : undefined
  return reason === undefined ? 'The history does not say why.' : `It could not evaluate the rule: ${reason}`
}
