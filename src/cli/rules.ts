import { type Command, Option } from 'commander'
import { AuditError, exitCodes } from '../model/errors.ts'
import type { Rule } from '../rules/rule.ts'
import type { Execute } from './execute.ts'
import { lookOf, type Terminal } from './terminal.ts'

interface RulesOptions {
  readonly pack?: string
  readonly format: 'text' | 'json'
}

export function defineRules(program: Command, execute: Execute): void {
  program
    .command('rules')
    .argument('[id]', 'explain one rule')
    .description('list the rules, or explain one')
    .option('--pack <pack>', 'only the rules of a pack')
    .addOption(new Option('--format <format>', 'of the answer').choices(['text', 'json']).default('text'))
    .action((id: string | undefined, options: RulesOptions) => execute((terminal) => showRules(id, options, terminal)))
}

async function showRules(id: string | undefined, { pack, format }: RulesOptions, terminal: Terminal): Promise<number> {
  const { rules } = await import('../rules/rules.ts')
  const { packs } = await import('../rules/rule.ts')
  const { nearestName } = await import('../text/nearest-name.ts')
  refuseUnknown(
    'rule',
    id,
    rules.map((rule) => rule.id),
    nearestName,
  )
  refuseUnknown('pack', pack, packs, nearestName)
  const chosen = rules.filter(
    (rule) => (id === undefined || rule.id === id) && (pack === undefined || rule.packs.some((name) => name === pack)),
  )
  if (format === 'json') terminal.stdout.write(await asJson(chosen))
  else if (id === undefined) terminal.stdout.write(asTable(chosen, lookOf(terminal).width))
  else for (const rule of chosen) terminal.stdout.write(await explain(rule))
  return exitCodes.clean
}

function refuseUnknown(
  what: string,
  name: string | undefined,
  known: readonly string[],
  nearestName: (name: string, known: readonly string[]) => string | undefined,
): void {
  if (name === undefined || known.includes(name)) return
  const nearest = nearestName(name, known)
  throw new AuditError(2, `there is no ${what} "${name}"${nearest === undefined ? '' : `, did you mean ${nearest}?`}`, {
    advice: what === 'pack' ? `packs: ${known.join(', ')}` : '`hookdrift rules` lists them',
  })
}

async function asJson(rules: readonly Rule[]): Promise<string> {
  const { z } = await import('zod')
  const { controlsOf } = await import('../rules/controls.ts')
  const { remedies } = await import('../rules/remedies.ts')
  const rows = rules.map(({ id, kind, severity, title, packs, options }) => ({
    id,
    kind,
    severity,
    title,
    remedy: remedies.get(id) ?? '',
    packs,
    controls: controlsOf(id),
    options: z.toJSONSchema(options, { io: 'input' }),
  }))
  return `${JSON.stringify({ schema: 'hookdrift.rules/1', run: null, rows }, null, 2)}\n`
}

function asTable(rules: readonly Rule[], width: number): string {
  const wide = Math.max(...rules.map(({ id }) => id.length))
  const lines = rules.map(({ id, severity, title }) => {
    const line = `${severity.padEnd(8)}  ${id.padEnd(wide)}  ${title}`
    return line.length <= width ? line : `${line.slice(0, width - 1)}…`
  })
  return `${lines.join('\n')}\n\n${rules.length} rules. \`hookdrift rules ID\` explains one.\n`
}

/** The rule's page, which comes with the package. */
async function explain({ id }: Rule): Promise<string> {
  const { readFileSync } = await import('node:fs')
  const page = readFileSync(new URL(`../../docs/rules/${id}.md`, import.meta.url), 'utf8')
  return page.replace(/<!--[\s\S]*?-->\n?/g, '')
}
