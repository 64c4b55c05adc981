import { z } from 'zod'
import type { Json } from '../model/json.ts'
import { schemas } from '../model/report.ts'
import { policyProject } from '../model/resource.ts'
import { type Column, type ColumnOfTable, columnsIn, type LinkKind, textOf, valueIn } from '../model/text/table.ts'
import { severities } from '../model/violation.ts'
import type { AnswerView } from '../report/answer.ts'
import { fieldTable } from '../report/html/components/field-table.ts'
import { severityChip, showInstant } from '../report/html/components/parts.ts'
import { cell, table } from '../report/html/components/table.ts'
import { html, type Markup, nothing, withCode } from '../report/html/markup.ts'
import { shorten } from '../report/text/shorten.ts'
import { readRunNames } from './find-runs.ts'
import { linkToProject, linkToResource, paths, type SiteLink } from './link.ts'
import type { SiteRequest } from './page.ts'
import { readScans } from './run-facts.ts'

/** Where names in rows lead; undefined where the history no longer has it, or never had. */
type RowLinks = (kind: LinkKind, row: object, text: string) => string | undefined

/** `link`: as of the run that knows all rows. */
export async function readRowLinks(request: SiteRequest, link: SiteLink = request.link): Promise<RowLinks> {
  const { isKept } = await readRunNames(request)
  const scanned = new Set([policyProject.name, ...(await readScans(request)).map(({ project }) => project.name)])
  return (kind, row, text) => {
    // A row that links to a resource or a violation has the members that name it: its question says so.
    const about = row as {
      readonly project: string
      readonly kind: never
      readonly uid: string
      readonly fingerprint: string
      readonly id: string
      readonly number: number
    }
    switch (kind) {
      case 'project':
        return scanned.has(text) ? linkToProject(link, text) : undefined
      case 'resource':
        return linkToResource(link, about)
      case 'violation':
        return link(paths.violation(about.fingerprint))
      case 'run':
        return isKept(Number(text)) ? link(paths.run(Number(text))) : undefined
      case 'rule':
        return link(paths.rule(text))
      case 'owner':
        return link(paths.owner(text))
      case 'impact':
        return link('/impact', { target: about.id })
      case 'opened':
        return text !== '0' && isKept(about.number)
          ? link('/violations', { since: about.number, state: 'all' })
          : undefined
    }
  }
}

/** A column with longer texts gets room. */
const leastText = 60

/** The rows of an answer as a table. Columns without a value in any row are left out. */
export function answerTable<Row extends object>(
  name: string,
  rows: readonly Row[],
  { columns, below }: Pick<AnswerView<Row>, 'columns' | 'below'>,
  links: RowLinks,
): Markup {
  const more: Column<Row>[] =
    below === undefined ? [] : [{ name: 'remarks', only: 'text', show: (row) => below(row) ?? '' }]
  const all = columnsIn([...columns, ...more], 'text')
  const subject = all.find(({ link = '' }) => ['violation', 'resource', 'rule'].includes(link)) ?? all[0]
  const used = all
    .map((column) => ({ column, cells: rows.map((row) => showValue(row, column, links, column === subject)) }))
    .filter(({ cells }) => cells.some((content) => content !== undefined))
  const titles = used.map(({ column }) => {
    const values = rows.map((row) => valueIn(row, column)).filter((value) => value !== null)
    const isNumber = values.length > 0 && values.every((value) => typeof value === 'number')
    const isText = values.some((value) => typeof value === 'string' && value.length > leastText)
    return { title: titleOf(column.name), isNumber: column.align === 'right' || isNumber, isText }
  })
  const lines = rows.map((_, at) => {
    const cells = used.map(({ column, cells: contents }, place) => {
      const { title = '', isNumber = false } = titles[place] ?? {}
      const content = contents[at] ?? nothing
      if (column === subject) return html`<th scope="row">${content}</th>`
      if (!isNumber) return cell(title, content)
      const text = String(content)
      return cell(title, text === '0' ? text : content, text === '?' ? 'n unseen' : 'n')
    })
    return html`<tr>${cells}</tr>
`
  })
  return table(name, titles, lines)
}

/** `First seen` of `first_seen`. */
export function titleOf(name: string): string {
  const words = name.replaceAll(/[_-]/g, ' ')
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}

/** A row that leads to its own page says the beginning. */
const [longest, longestOfMany, mostItems] = [2000, 240, 20]

/** undefined where a row has no value. */
function showValue<Row extends object>(
  row: Row,
  column: ColumnOfTable<Row>,
  links: RowLinks,
  isSubject: boolean,
): Markup | undefined {
  const value = valueIn(row, column)
  if (Array.isArray(value)) return showList(row, value, column, links)
  if (isTime(value)) return showInstant(String(value))
  const severity = severities.find((one) => column.name === 'severity' && one === (column.show?.(row) ?? value))
  if (severity !== undefined) return severityChip(severity)
  if (column.link === 'resource' && value !== null) return showResource(row, String(value), links, isSubject)
  const text = column.show?.(row) ?? (value === null ? '' : textOf(value))
  if (text === '' || text === '-') return undefined
  const most = 'fingerprint' in row ? longestOfMany : longest
  // What a terminal shouts is bold here.
  if (/^(?:\? |[A-Z]{5})/.test(text)) return html`<b class="bad">${withCode(shorten(text, most))}</b>`
  return linked(shorten(text, most), column.link && links(column.link, row, String(value)))
}

function showList<Row extends object>(
  row: Row,
  values: readonly Json[],
  { link }: ColumnOfTable<Row>,
  links: RowLinks,
): Markup | undefined {
  if (values.length === 0) return undefined
  const fields = fieldList.safeParse(values).data
  if (fields !== undefined) return fieldTable(fields)
  const items = values.slice(0, mostItems).map((value, at) => {
    const text = textOf(value)
    return html`${at > 0 && ', '}${linked(shorten(text, longest), link && links(link, row, text))}`
  })
  return html`${items}${values.length > items.length && ` and ${values.length - items.length} more`}`
}

const fieldList = z.array(schemas.fieldChange)

/** By its name. A row about it has its uid, too, where that is another text. */
function showResource(row: object, name: string, links: RowLinks, isSubject: boolean): Markup {
  const uid = 'uid' in row ? String(row.uid) : name
  const href = links('resource', row, uid)
  if (name === '' || name === uid) return linked(shorten(uid, 80), href, true)
  return html`${linked(shorten(name, 120), href)}${isSubject && html` <code>${shorten(uid, 80)}</code>`}`
}

/** Names that a narrow column would break although they fit into a wider one. */
const [leastBroken, longestWhole] = [10, 32]

function linked(text: string, href: string | undefined, isCode = false): Markup {
  const content = isCode ? html`<code>${text}</code>` : html`${withCode(text)}`
  if (href === undefined) return content
  const kind = text.length >= leastBroken && text.length <= longestWhole && html` class="short"`
  return html`<a href="${href}"${kind}>${content}</a>`
}

function isTime(value: Json): boolean {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]{8,12}Z$/.test(value)
}
