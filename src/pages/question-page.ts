import { isJsonObject } from '../model/json.ts'
import { count } from '../model/text/count.ts'
import { namesOf, parametersOf, readParameters } from '../questions/query-parameters.ts'
import {
  type PageInquiry,
  type Parameter,
  type ParameterTable,
  type ParameterValues,
  type Question,
  type QuestionReply,
  shapeOf,
} from '../questions/question.ts'
import { extentOf } from '../report/gaps.ts'
import { emptyState } from '../report/html/components/parts.ts'
import { html, type Markup, withCode } from '../report/html/markup.ts'
import { pageSection } from '../report/html/render-page.ts'
import { rules } from '../rules/rules.ts'
import { answerTable, readRowLinks, titleOf } from './answer-table.ts'
import { checkField, choiceField, type FilterField, showFilterForm, textField } from './filter-form.ts'
import { linksAt, type SiteLinkQuery } from './link.ts'
import { noSuchCursor, showPager } from './list-page.ts'
import type { SiteContent, SitePage, SiteRequest } from './page.ts'
import { readScans } from './run-facts.ts'
import { jsonOf, type SameAnswer } from './same-answer.ts'
import { showGaps } from './show-gaps.ts'

/** A question as a page: its parameters are the form, its rows the table. */
export interface QuestionPage<Table extends ParameterTable, Row extends object>
  extends Pick<SitePage, 'path' | 'isOfAllProjects'> {
  readonly title: string
  /** What it shows, in a sentence. */
  readonly about: string
  readonly question: Pick<Question<Table, Row>, 'form' | 'parameters' | 'isOfRun' | 'runIs' | 'isPaged'>
  readonly read: (
    request: SiteRequest,
    values: ParameterValues<Table>,
    inquiry: PageInquiry,
  ) => Promise<QuestionReply<Row>>
  /** The words of its command, where its form does not say them. */
  readonly words?: readonly string[]
  /** What parameters are where the address names none. */
  readonly usual?: (request: SiteRequest) => SiteLinkQuery | Promise<SiteLinkQuery>
  /** Parameters that are not in the form. */
  readonly hidden?: readonly string[]
  /** Parameters by the names that they had. */
  readonly renamed?: Readonly<Record<string, string>>
  /** Parameters that come first in the form. */
  readonly front?: readonly string[]
  /** Fields for parameters of the page alone. */
  readonly more?: readonly FilterField[]
  /** Where it is, where its path has parts that vary. */
  readonly address?: (request: SiteRequest) => string
  /** Parameters that its command does not have. */
  readonly alone?: readonly string[]
  /** What its command lacks, as a sentence. */
  readonly lacks?: string
}

/** How a page asks its question. */
export function asked<Table extends ParameterTable, Row>(question: Question<Table, Row>) {
  const read = (request: SiteRequest, values: ParameterValues<Table>, inquiry: PageInquiry) =>
    question.read(request.history, values, inquiry)
  return { question, read }
}

export function questionPage<Table extends ParameterTable, Row extends object>(
  page: QuestionPage<Table, Row>,
): SitePage {
  const { path, question, more = [], isOfAllProjects } = page
  return {
    path,
    parameters: [...filterNames(page), ...more.map(({ name }) => name), 'after', 'before'],
    // Ages count from the time of asking.
    isOfRun: question.isOfRun ? 'past' : false,
    ...(isOfAllProjects && { isOfAllProjects }),
    show: (request) => showQuestion(page, request),
  }
}

const rowsOfPage = 50

/** The content of a page: form, alarm, rows, next page, export. `instead`: of the rows. */
export async function showQuestion<Table extends ParameterTable, Row extends object>(
  page: QuestionPage<Table, Row>,
  request: SiteRequest,
  instead?: Markup,
): Promise<SiteContent> {
  const { question, read, title, about } = page
  const { query, run, isLatest } = request
  const { values, same } = await readAddress(page, request)
  const [after, before] = [query.one('after'), query.one('before')]
  const token = after ?? before
  const place = token === undefined ? undefined : { token, isEnd: after === undefined }
  const inquiry = {
    format: 'page',
    limit: question.isPaged ? rowsOfPage : Number.POSITIVE_INFINITY,
    place,
    now: request.now,
  }
  const { answer, view } = await read(request, values, inquiry)
  const { rows, omitted, next, previous } = question.isPaged ? answer : cutRows(answer.rows, token)
  const { coverage, remarks = [], unknown = [], conclusion = [], more: members } = answer
  // What a later run found is not there as of the run of the page.
  const from = isJsonObject(members?.from) ? Number(members.from.number) : 0
  const link = isLatest ? request.link : linksAt(Math.max(run.number, answer.run?.number ?? 0, from))
  const to = (parameters: SiteLinkQuery) => {
    // A cut list goes on as of the same run, where runs alone change it.
    const pinned = takesRun(question) && question.isOfRun && !question.isPaged ? { run: run.number } : {}
    return request.link(addressOf(page, request), { ...filtersOf(page, request), ...pinned, ...parameters })
  }
  const isUnknown = unknown.length > 0 || (coverage !== undefined && extentOf(coverage) !== 'all')
  const [csv, json] = [
    jsonOf(same, isLatest ? undefined : run.number, { format: 'csv' }),
    jsonOf(same, isLatest ? undefined : run.number),
  ]
  const nextPage = next && to({ after: next })
  return {
    title,
    crumbs: [],
    alarm: await showGaps({ history: request.history, link }, coverage ?? []),
    body: html`<p class="meta">${about}</p>
${await showForm(page, request)}${remarks.map((line) => html`<p class="${unknown.includes(line) ? 'unseen' : 'soft'}">${unknown.includes(line) && '? '}${withCode(line)}</p>`)}${
  instead ??
  (rows.length === 0
    ? emptyState(
        `${view.nothing}${isUnknown ? ' What could not be checked is unknown.' : ''}`,
        isUnknown ? 'unknown' : 'none',
      )
    : html`<p class="summary" role="status">${/^\d/.test(conclusion[0] ?? '') ? '' : `${count(rows.length, 'row')}. `}${conclusion.map((line) => html`${withCode(line)} `)}${describeExtent(rows.length, omitted)}</p>
${answerTable(title, rows, view, await readRowLinks(request, link))}${showPager({ first: token === undefined ? undefined : to({}), previous: previous && to({ before: previous }), next: nextPage })}`)
}<p class="soft">All rows as <a href="${csv}" download="${same.address ?? same.command.join('-')}.csv">CSV</a> or <a href="${json}">JSON</a></p>`,
    same,
    next: nextPage,
  }
}

const mostInSection = 20

/** The first rows of another page, as a section that leads there. */
export async function questionSection<Table extends ParameterTable, Row extends object>(
  page: QuestionPage<Table, Row>,
  request: SiteRequest,
  id: string,
): Promise<Markup> {
  const { hidden = [], usual } = page
  const { values } = await readAddress(page, request)
  const filters = Object.entries((await usual?.(request)) ?? {}).filter(([name]) => !hidden.includes(name))
  const { answer, view } = await page.read(request, values, { format: 'page', limit: mostInSection, now: request.now })
  const { rows, omitted, remarks = [] } = answer
  const all = html`<a href="${request.link(addressOf(page, request), { ...Object.fromEntries(filters), ...filtersOf(page, request) })}">${omitted === 0 ? 'Filter them' : `and ${omitted} more`}</a>`
  return pageSection({
    id,
    title: page.title,
    count: omitted === 'unknown' ? `${rows.length}+` : rows.length + omitted,
    content: html`${remarks.map((line) => html`<p class="soft">${withCode(line)}</p>`)}${rows.length === 0 ? emptyState(view.nothing, 'none') : answerTable(page.title, rows, view, await readRowLinks(request))}<p>${all}</p>`,
  })
}

/**
 * The rows of a list that is read whole. `remaining`: how many come after the pages before. What people add comes first
 * in their lists, so that the rest stays where it is.
 */
function cutRows<Row>(all: readonly Row[], remaining = String(all.length)) {
  const start = all.length - Number(remaining)
  if (!/^\d{1,9}$/.test(remaining) || start < 0) throw noSuchCursor('after')
  const rows = all.slice(start, start + rowsOfPage)
  const omitted = all.length - start - rows.length
  return { rows, omitted, next: omitted > 0 ? String(omitted) : undefined, previous: undefined }
}

/** Nothing where all rows that follow are on the page. */
function describeExtent(rows: number, omitted: number | 'unknown'): string {
  if (omitted === 0) return ''
  return `${rows} on this page, ${omitted === 'unknown' ? 'others' : omitted} on the next ones.`
}

function addressOf<Table extends ParameterTable, Row extends object>(
  { path, address }: QuestionPage<Table, Row>,
  request: SiteRequest,
): string {
  return address?.(request) ?? path
}

/** The names of its question's parameters, and those that they had. */
function filterNames<Table extends ParameterTable, Row extends object>({
  question,
  renamed = {},
}: QuestionPage<Table, Row>): readonly string[] {
  return [...parametersOf(unlimited(question)).map(({ name }) => name), ...Object.keys(renamed)]
}

/** What the address chooses, without the place in the list. */
export function filtersOf<Table extends ParameterTable, Row extends object>(
  page: QuestionPage<Table, Row>,
  { query }: SiteRequest,
): SiteLinkQuery {
  const names = [...filterNames(page), ...(page.more ?? []).map(({ name }) => name)].filter((name) => name !== 'run')
  return Object.fromEntries(names.map((name) => [name, query.all(name)]))
}

/**
 * What the address gives the parameters of a question, and the command for the same answer.
 * @throws AuditError.usage for a value that one does not take
 */
export async function readAddress<Table extends ParameterTable, Row extends object>(
  page: QuestionPage<Table, Row>,
  request: SiteRequest,
): Promise<{ readonly values: ParameterValues<Table>; readonly same: SameAnswer }> {
  const { question, renamed = {}, usual, words, alone = [], lacks } = page
  const { form, parameters, runIs } = question
  const { query, run, isLatest } = request
  const usualTexts = (await usual?.(request)) ?? {}
  const search = new URLSearchParams()
  const operands: Record<string, string> = {}
  const options: Record<string, true | readonly string[]> = {}
  for (const parameter of Object.values(parameters)) {
    const [name = '', ...others] = namesOf(parameter)
    if (name === 'run' || others.includes('run')) continue
    const { isList, isFlag, isArgument } = shapeOf(parameter)
    const former = Object.keys(renamed).filter((each) => renamed[each] === name)
    const given = [name, ...others, ...former].flatMap((each) => query.all(each))
    const usualText = usualTexts[name] ?? []
    const texts = given.length > 0 ? given : typeof usualText === 'object' ? usualText : [String(usualText)]
    const used = isList ? texts : texts.slice(0, 1)
    for (const text of used) search.append(name, text)
    const [first] = used
    if (first === undefined || alone.includes(name)) continue
    if (isArgument) operands[name] = first
    else options[name] = isFlag ? true : used
  }
  const isNamed = runIs !== undefined && search.has(runIs)
  if (!isLatest && !isNamed) search.set('run', String(run.number))
  const { values } = readParameters(form.name, unlimited(question), search)
  const command = words ?? (form.command ?? form.name).split(' ')
  const same = {
    command,
    address: command.some((word) => word.startsWith('-')) ? form.name : undefined,
    operands,
    options,
    lacks,
    ...(takesRun(question) && !isNamed ? {} : { isOfNoRun: true as const }),
  }
  return { values, same }
}

/** A page has no parameters for the number of rows and their format. */
function unlimited<Table extends ParameterTable>({ parameters, isOfRun, runIs }: QuestionFrame<Table>) {
  return { parameters, isOfRun, isLimited: false as const, ...(runIs !== undefined && { runIs }) }
}

function takesRun<Table extends ParameterTable>({ parameters, runIs }: QuestionFrame<Table>): boolean {
  return runIs !== undefined || Object.values(parameters).some((each) => namesOf(each).includes('run'))
}

type QuestionFrame<Table extends ParameterTable> = Pick<Question<Table>, 'parameters' | 'isOfRun' | 'runIs'>

const mostInFront = 6

/** The parameters of a question as fields. */
export async function showForm<Table extends ParameterTable, Row extends object>(
  page: QuestionPage<Table, Row>,
  request: SiteRequest,
): Promise<Markup> {
  const { question, hidden = [], front = [], more = [], usual, renamed = {} } = page
  const names = {
    project: [...new Set((await readScans(request)).map(({ project }) => project.name))],
    rule: rules.map(({ id }) => id),
  }
  const usualTexts = (await usual?.(request)) ?? {}
  const fields = Object.values(question.parameters).flatMap((parameter) => {
    const [name = '', ...others] = namesOf(parameter)
    const isHidden = parameter.isLocal || hidden.includes(name) || name === 'run' || others.includes('run')
    const suggested = name === 'project' || name === 'rule' ? names[name] : []
    return isHidden ? [] : [fieldOf(parameter, { name, suggested, usual: usualTexts[name] })]
  })
  const rankOf = ({ name }: FilterField) => (front.includes(name) ? front.indexOf(name) : front.length)
  const all = [...fields.toSorted((a, b) => rankOf(a) - rankOf(b)), ...more]
  if (all.length === 0) return html``
  const query = { one: (name: string) => allOf(name)[0], all: (name: string) => allOf(name) }
  const allOf = (name: string) =>
    [name, ...Object.keys(renamed).filter((each) => renamed[each] === name)].flatMap((each) => request.query.all(each))
  return showFilterForm(addressOf(page, request), query, all.slice(0, mostInFront), { more: all.slice(mostInFront) })
}

/** `usual`: what holds where nothing is chosen. */
function fieldOf(
  parameter: Parameter,
  {
    name,
    suggested,
    usual,
  }: { readonly name: string; readonly suggested: readonly string[]; readonly usual: SiteLinkQuery[string] },
): FilterField {
  const { description, flags } = parameter
  const { choices, isFlag, fallback } = shapeOf(parameter)
  const label = titleOf(name)
  if (isFlag) return checkField(name, label)
  if (choices !== undefined) {
    const most = String(usual ?? fallback ?? 'any')
    return choiceField(
      name,
      label,
      choices.filter((choice) => choice !== most),
      most,
    )
  }
  const example = /"([^"]*)"/.exec(description)?.[1] ?? /: ([^:]*)$/.exec(description)?.[1]
  const [, kind = ''] = /<([^>.]*)/.exec(flags) ?? []
  return textField(name, label, example === undefined ? kind : `such as ${example}`, suggested)
}
