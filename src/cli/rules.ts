import type { Command } from 'commander'
import { z } from 'zod'
import { type ProcessContext, renderOptionsFor } from '../app/process-context.ts'
import { AuditError } from '../model/errors.ts'
import { suggestName } from '../model/text/nearest-name.ts'
import { answerRules, rulesView } from '../questions/answer-rules.ts'
import type { ApiSource } from '../questions/query-parameters.ts'
import { type ParameterValues, parameter } from '../questions/question.ts'
import { writeAnswer } from '../report/show-answer.ts'
import { packs } from '../rules/engine/rule.ts'
import { rules } from '../rules/rules.ts'
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
    const values = valuesOf(command, parameters)
    const answer = readRules(values, limitOf(options))
    if (values.id === undefined || options.format !== 'text') {
      return printAnswer(answer, rulesView, options.format, terminal)
    }
    const { docs } = await import('./docs.ts')
    return docs(options, terminal, `rules/${values.id}`)
  }
}

export const rulesSource: ApiSource<typeof parameters> = {
  parameters,
  isOfRun: true,
  async write(_, values, { limit, format, terminal }) {
    const render = renderOptionsFor(terminal)
    return writeAnswer(format === 'csv' ? 'csv' : 'json', readRules(values, limit), rulesView, {
      ...render,
      tableWidth: render.width,
    })
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
  return answerRules(chosen, limit)
}
