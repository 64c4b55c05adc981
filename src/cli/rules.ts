import type { Command } from 'commander'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { AuditError } from '../model/errors.ts'
import { answerRules, rulePageView, rulesView } from '../queries/answer-rules.ts'
import { packs } from '../rules/engine/rule.ts'
import { rules } from '../rules/rules.ts'
import { suggestName } from '../text/nearest-name.ts'
import { printAnswer } from './print-answer.ts'
import { type AnswerOptions, addAnswerOptions, limitOf } from './query-options.ts'

interface RulesOptions extends AnswerOptions {
  readonly pack?: string
}

export function defineRules(command: Command, execute: Execute): void {
  command.argument('[id]', 'explain one rule').option('--pack <pack>', 'only the rules of a pack')
  addAnswerOptions(command).action((id: string | undefined, options: RulesOptions) =>
    execute((terminal) => showRules(id, options, terminal)),
  )
}

async function showRules(id: string | undefined, options: RulesOptions, terminal: ProcessContext): Promise<number> {
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
