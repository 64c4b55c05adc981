import type { Command } from 'commander'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { AuditError } from '../model/errors.ts'
import { type AnswerOptions, addAnswerOptions, limitOf, printAnswer } from './query-options.ts'

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

async function showRules(id: string | undefined, options: RulesOptions, terminal: ProcessContext): Promise<number> {
  const { rules } = await import('../rules/rules.ts')
  const { packs } = await import('../rules/engine/rule.ts')
  const { suggestName } = await import('../text/nearest-name.ts')
  const { answerRules, rulePageView, rulesView } = await import('../queries/answer-rules.ts')
  const { pack } = options
  const refuseUnknown = (what: string, name: string | undefined, known: readonly string[], advice: string) => {
    if (name === undefined || known.includes(name)) return
    throw AuditError.usage(`there is no ${what} "${name}"${suggestName(name, known)}`, { advice })
  }
  const ids = rules.map((rule) => rule.id)
  refuseUnknown('rule', id, ids, '`hookdrift rules` lists them')
  refuseUnknown('pack', pack, packs, `packs: ${packs.join(', ')}`)
  const chosen = rules.filter(
    (rule) => (id === undefined || rule.id === id) && (pack === undefined || rule.packs.some((name) => name === pack)),
  )
  const view = id === undefined ? rulesView : rulePageView(id)
  return printAnswer(answerRules(chosen, limitOf(options)), view, options.format, terminal)
}
