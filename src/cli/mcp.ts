import type { Command } from 'commander'
import { keepHistoryOpen } from '../app/keep-history-open.ts'
import { type HistoryOptions, locateHistory } from '../app/locate-history.ts'
import { openLog } from '../app/log.ts'
import { openExistingHistory } from '../app/open-history.ts'
import type { ProcessContext } from '../app/process-context.ts'
import { AuditError, exitCodes, messageOf } from '../model/errors.ts'
import { toolVersion } from '../model/package-files.ts'
import { escapeUnseen } from '../model/text/neutralise.ts'
import { openMcp } from '../pages/mcp/answer-message.ts'
import { instructions, toolsOf } from '../pages/mcp/assistant.ts'
import { answerApi } from './api/answer-api.ts'
import type { DescribeCommand } from './api/api-entries.ts'
import { addHistoryOptions } from './query-options.ts'

export function defineMcp(describe: DescribeCommand) {
  return (command: Command) => {
    addHistoryOptions(command)
    return (options: HistoryOptions, terminal: ProcessContext) => answerAssistant(options, terminal, describe)
  }
}

/** Answers an assistant that started it, a message a line, until either side closes its pipe. */
async function answerAssistant(
  options: HistoryOptions,
  terminal: ProcessContext,
  describe: DescribeCommand,
): Promise<number> {
  const { stdin } = process
  if (stdin.isTTY) {
    throw AuditError.usage('an assistant has to start this command, and write its messages to stdin', {
      advice: '`hookdrift docs api#assistants` says how to set one up',
    })
  }
  const log = openLog(terminal)
  const openHistories = keepHistoryOpen((location) => openExistingHistory(location, terminal.env))
  // What commands would print is not a message.
  const silent: ProcessContext = { ...terminal, stdout: { write: () => true, on: () => {} } }
  const version = toolVersion()
  const tools = toolsOf({
    // Named anew for each question: a first audit may come while the assistant runs.
    history: async () => openHistories.at(await locateHistory(options, terminal)),
    api: answerApi(options, silent, { version, describe }),
    describeFault(error) {
      if (error instanceof AuditError) return error
      log.error({ error: messageOf(error) }, 'a question could not be answered')
      return { message: 'a bug in hookdrift', advice: 'its log on stderr has the details' }
    },
  })
  let isGone = false
  terminal.stdout.on('error', () => {
    isGone = true
    stdin.destroy()
  })
  const send = (message: string) =>
    new Promise<void>((resolve) => terminal.stdout.write(`${escapeUnseen(message)}\n`, () => resolve()))
  const answerMessage = openMcp({ tools, version, instructions })
  try {
    for await (const line of linesOf(stdin)) {
      if (line?.trim() === '') continue
      const answer = line === undefined ? tooLong : await (await answerMessage(line)).text()
      if (answer !== '') await send(answer)
    }
  } catch (error) {
    // The end of a stream that was cut short is an error.
    if (!isGone) throw error
  } finally {
    await openHistories.close()
  }
  return exitCodes.clean
}

/** No question is longer than a fraction of this. */
const mostBytes = 1024 * 1024
const tooLong = JSON.stringify({
  jsonrpc: '2.0',
  id: null,
  error: { code: -32600, message: `more than ${mostBytes} bytes` },
})

/** Lines of a stream; undefined for each that is too long, of which nothing is kept. */
async function* linesOf(stream: AsyncIterable<Uint8Array>): AsyncGenerator<string | undefined> {
  let parts: Uint8Array[] = []
  let size = 0
  const take = () => {
    const line = size > mostBytes ? undefined : Buffer.concat(parts).toString()
    parts = []
    size = 0
    return line
  }
  const keep = (part: Uint8Array) => {
    size += part.byteLength
    if (size <= mostBytes) parts.push(part)
    else parts = []
  }
  for await (let chunk of stream) {
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10)) {
      keep(chunk.subarray(0, end))
      yield take()
      chunk = chunk.subarray(end + 1)
    }
    keep(chunk)
  }
  if (size > 0) yield take()
}
