import { z } from 'zod'
import { kinds } from '../model/resource.ts'
import { count } from '../model/text/count.ts'
import { severities } from '../model/violation.ts'
import { rulesForm } from '../questions/answer-rules.ts'
import { toCoverageOfAll } from '../questions/as-of.ts'
import { parameter } from '../questions/question.ts'
import { type RuleInRun, readRules, worstOf } from '../questions/read-rules.ts'
import type { AnswerView } from '../report/answer.ts'
import { showCount } from '../report/gaps.ts'
import type { SiteRequest } from './page.ts'
import { questionPage } from './question-page.ts'
import { readScans } from './run-facts.ts'

const parameters = {
  text: parameter('--text <text>', 'such as "secret"', z.string().optional()),
  severity: parameter('--severity <severity>', 'only rules of this severity', z.enum(severities).optional()),
  kind: parameter('--kind <kind>', 'only rules about this kind', z.enum(kinds).optional()),
}

interface RuleFilter {
  readonly text: string | undefined
  readonly severity: string | undefined
  readonly kind: string | undefined
}

/** The rules of a run, those that are violated first, then what it could not evaluate everywhere. */
export const rulesPage = questionPage({
  path: '/rules',
  title: 'Rules',
  about:
    'The rules of the policy and those that come with hookdrift: violated ones first, then those not evaluated everywhere.',
  question: { form: rulesForm, parameters, isOfRun: true },
  async read(request: SiteRequest, filter: RuleFilter) {
    const { history, run } = request
    const all = await readRules(history, run.number)
    const rows = all.filter(testOf(filter)).sort((a, b) => rankOf(a) - rankOf(b))
    const coverage = toCoverageOfAll(await readScans(request))
    const evaluated = all.filter((rule) => rule.evaluated !== undefined).length
    const remarks = [`The policy of run ${run.number} evaluates ${evaluated} of ${count(all.length, 'rule')}.`]
    return { answer: { form: rulesForm, run: null, coverage, remarks, rows, omitted: 0 }, view }
  },
  lacks: 'It lists the rules that come with hookdrift, all of them and without what violates them.',
})

function testOf({ text = '', severity, kind }: RuleFilter): (rule: RuleInRun) => boolean {
  return (rule) =>
    (severity === undefined || rule.severity === severity || worstOf(rule) === severity) &&
    (kind === undefined || rule.kind === kind) &&
    `${rule.id} ${rule.title}`.toLowerCase().includes(text.toLowerCase())
}

function rankOf(rule: RuleInRun): number {
  if (rule.open > 0) return 0
  return rule.evaluated === undefined ? 3 : isUnsure(rule) ? 1 : 2
}

function isUnsure({ gaps, not_evaluated, missed, unknown }: RuleInRun): boolean {
  return gaps.length + not_evaluated.length + missed.length + unknown > 0
}

const view: AnswerView<RuleInRun> = {
  columns: [
    { name: 'id', link: 'rule' },
    { name: 'severity', show: (rule) => describeSeverity(rule) },
    { name: 'title', show: ({ title }) => title || 'A rule of an earlier policy' },
    { name: 'open', align: 'right', show: showOpen },
    'waived',
  ],
  below: describeDoubts,
  nothing: 'No rule fits this filter.',
}

/** `default medium; here some high`: options and overrides may give open violations another severity than the rule has. */
function describeSeverity(rule: RuleInRun): string {
  const { severity = 'unknown', severities: counts, open } = rule
  const worst = worstOf(rule)
  return worst === undefined || worst === severity
    ? severity
    : `default ${severity}; here ${counts[worst] === open ? '' : 'some '}${worst}`
}

/** What a rule found: a dash where it was not evaluated, and `?` or `N+` where not everywhere. */
function showOpen(rule: RuleInRun): string {
  if (rule.evaluated === undefined && rule.open === 0) return 'not evaluated'
  return showCount(rule.open, isUnsure(rule) ? 'some' : 'all')
}

function describeDoubts({ not_evaluated, missed, unknown }: RuleInRun): string | undefined {
  const doubts = [
    ...(not_evaluated.length === 0 ? [] : [`not evaluated in ${count(not_evaluated.length, 'project')}`]),
    ...(missed.length === 0 ? [] : [`not everything evaluated in ${count(missed.length, 'project')}`]),
    ...(unknown === 0 ? [] : [`${count(unknown, 'violation')} not checked`]),
  ]
  return doubts.length === 0 ? undefined : `? ${doubts.join(', ')}`
}
