import { z } from 'zod'
import { wrapPieces } from '../../src/model/text/columns.ts'
import type { ReadyFix, Rule } from '../../src/rules/engine/rule.ts'

const start = '<!-- rule header: generated -->'
const end = '<!-- end -->'

/** What a rule's page says of its metadata; the rest of the page is written by hand. */
export function ruleHeader({ id, title, severity, packs, options, fix }: Rule): string {
  const rows = Object.entries(options.shape).map(([name, option]) => {
    const fallback = option.safeParse(undefined).data
    const meaning = z.globalRegistry.get(option)?.description ?? ''
    const cells = [name, fallback === undefined ? '' : `\`${JSON.stringify(fallback)}\``, meaning]
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  })
  const table = rows.length === 0 ? [] : ['', '| option | default | meaning |', '|---|---|---|', ...rows]
  const inPacks = packs.length === 0 ? 'none: on where a policy names it' : packs.join(', ')
  return [
    start,
    `# ${id}`,
    '',
    title,
    '',
    '| severity | packs |',
    '|---|---|',
    `| ${severity} | ${inPacks} |`,
    ...table,
    ...describeFix(id, fix),
    end,
  ].join('\n')
}

function describeFix(id: string, fix: ReadyFix | undefined): string[] {
  if (fix === undefined) return []
  const to = 'bound' in fix ? `\`${fix.option}\`` : `\`${JSON.stringify(fix.value)}\``
  const text = `\`hookdrift restore UID --rule ${id}\` prints the request that sets \`${fix.path}\` to ${to}.`
  return ['', ...wrapPieces(text.split(' '), 120)]
}

/** A page with its header made current; one without a header gets it on top. */
export function withHeader(page: string, rule: Rule): string {
  const [from, to] = [page.indexOf(start), page.indexOf(end)]
  if (from < 0 || to < from) return `${ruleHeader(rule)}\n\n${page}`
  return page.slice(0, from) + ruleHeader(rule) + page.slice(to + end.length)
}
