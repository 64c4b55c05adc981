import type { Command } from 'commander'
import { z } from 'zod'
import { type ProcessContext, renderOptionsFor } from '../app/process-context.ts'
import { AuditError } from '../model/errors.ts'
import { answerRules, rulePageView, rulesView } from '../questions/answer-rules.ts'
import type { ApiSource } from '../questions/query-parameters.ts'
import { type ParameterValues, parameter } from '../questions/question.ts'
import { writeAnswer } from '../report/show-answer.ts'
import { packs } from '../rules/engine/rule.ts'
import { rules } from '../rules/rules.ts'
import { suggestName } from '../text/nearest-name.ts'
import { addParameters, valuesOf } from './ask.ts'
import { printAnswer } from './print-answer.ts'
import { type AnswerOptions, addAnswerOptions, limitOf } from './query-options.ts'

const parameters = {
  id: parameter('[id]', 'explain one rule', z.string().optional()),
  pack: parameter('--pack <pack>', 'only the rules of a pack', z.string().optional()),
}

export function defineRules(command: Command) {
  addParameters(command, parameters)
  addAnswerOptions(command)
  return async (options: AnswerOptions, terminal: ProcessContext) => {
    const { answer, view } = readRules(valuesOf(command, parameters), limitOf(options))
    return printAnswer(answer, view, options.format, terminal)
  }
}

export const rulesSource: ApiSource<typeof parameters> = {
  parameters,
  isOfRun: true,
  async write(_, values, { limit, format, terminal }) {
    const { answer, view } = readRules(values, limit)
    const render = renderOptionsFor(terminal)
    return writeAnswer(format === 'csv' ? 'csv' : 'json', answer, view, { ...render, tableWidth: render.width })
  },
}

function readRules({ id, pack }: ParameterValues<typeof parameters>, limit: number) {
  const refuseUnknown = (what: string, name: string | undefined, names: readonly string[], advice: string) => {
    if (name === undefined || names.includes(name)) return
    throw AuditError.usage(`there is no ${what} "${name}"${suggestName(name, names)}`, { advice })
  }
  const ids = rules.map((rule) => rule.id)
  refuseUnknown('rule', id, ids, '`hookdrift rules` lists them')
  refuseUnknown('pack', pack, packs, `packs: ${packs.join(', ')}`)
  const chosen = rules.filter(
    (rule) => (id === undefined || rule.id === id) && (pack === undefined || rule.packs.some((name) => name === pack)),
  )
  return { answer: answerRules(chosen, limit), view: id === undefined ? rulesView : rulePageView(id) }
}
