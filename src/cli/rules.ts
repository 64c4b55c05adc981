import type { Command } from 'commander'
import type { Terminal } from '../app/terminal.ts'
import { AuditError } from '../model/errors.ts'
import type { Execute } from './execute.ts'
import { type AnswerOptions, addAnswerOptions, limitOf, tellAnswer } from './reading.ts'

interface RulesOptions extends AnswerOptions {
  readonly pack?: string
}

export function defineRules(program: Command, execute: Execute): void {
  const command = program
    .command('rules')
    .argument('[id]', 'explain one rule')
    .description('List the rules, or explain one')
    .option('--pack <pack>', 'only the rules of a pack')
  addAnswerOptions(command).action((id: string | undefined, options: RulesOptions) =>
    execute((terminal) => showRules(id, options, terminal)),
  )
}

async function showRules(id: string | undefined, options: RulesOptions, terminal: Terminal): Promise<number> {
  const { rules } = await import('../rules/rules.ts')
  const { packs } = await import('../rules/rule.ts')
  const { nearestName } = await import('../text/nearest-name.ts')
  const { answerRules, pageFace, rulesFace } = await import('../reading/answer-rules.ts')
  const { pack } = options
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
  const face = id === undefined ? rulesFace : pageFace(id)
  return tellAnswer(answerRules(chosen, limitOf(options)), face, options.format, terminal)
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
