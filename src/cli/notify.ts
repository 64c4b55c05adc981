import { resolve } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import { deliverNotifications, openReceivers, watchInLog, workerTimeouts } from '../app/deliver-notifications.ts'
import { untilSignalled } from '../app/end-in-order.ts'
import { requireGivenKey } from '../app/installation-key.ts'
import type { HistoryOptions } from '../app/locate-history.ts'
import { openLog } from '../app/log.ts'
import { openHistory } from '../app/open-history.ts'
import type { ProcessContext } from '../app/process-context.ts'
import { readTextFile } from '../app/read-text-file.ts'
import { systemClock } from '../app/system.ts'
import { withProgress } from '../app/watch-run.ts'
import type { Channel, Configuration } from '../config/configuration.ts'
import { readConfiguration } from '../config/read-configuration.ts'
import { listChannels } from '../history/sql/outbox.ts'
import { AuditError, exitCodes } from '../model/errors.ts'
import { suggestName } from '../model/text/nearest-name.ts'
import { testMessage } from '../notify/compose-messages.ts'
import {
  answerChannelTest,
  answerOutbox,
  channelTestView,
  outboxView,
  pendingMessages,
} from '../questions/pending-messages.ts'
import { optionOf } from './ask.ts'
import { answerFromHistory, printAnswer } from './print-answer.ts'
import { type AnswerOptions, addAnswerOptions, addConfigurationOptions, limitOf } from './query-options.ts'

interface NotifyOptions extends HistoryOptions, AnswerOptions {
  /** true: every channel. */
  readonly test?: string | true
  readonly pending?: true
}

export function defineNotify(command: Command) {
  addConfigurationOptions(command)
    .option('--test [channel]', 'send a test message to one channel, or to all; the queue is not used', nameOf)
    .addOption(optionOf(pendingMessages.parameters.pending))
  addAnswerOptions(command).addHelpText(
    'after',
    `
Exit codes: 0 done; also when a delivery failed, because the message stays pending;
            2 usage or configuration, 4 a --test message did not arrive.`,
  )

  return notify
}

function nameOf(text: string): string {
  if (text !== '') return text
  throw new InvalidArgumentError('Expected the name of a channel.')
}

function notify(options: NotifyOptions, terminal: ProcessContext): Promise<number> {
  if (options.pending && options.test !== undefined) throw AuditError.usage('use --pending or --test, not both')
  if (options.pending) return showPending(options, terminal)
  return options.test === undefined ? deliverNow(options, terminal) : testChannels(options, terminal)
}

async function showPending(options: NotifyOptions, terminal: ProcessContext): Promise<number> {
  return answerFromHistory(options, terminal, outboxView, (history) => answerOutbox(history, limitOf(options)))
}

async function deliverNow(options: NotifyOptions, terminal: ProcessContext): Promise<number> {
  const targets = await readTargets(options, terminal)
  const watch = watchInLog(openLog(terminal))
  const { exitCode } = await withProgress(terminal, 'sending messages', () =>
    untilSignalled((signal) =>
      deliverNotifications(targets, { ...workerTimeouts, isPatient: false }, { terminal, watch, signal }),
    ),
  )
  await showPending(options, terminal)
  return exitCode ?? exitCodes.clean
}

async function testChannels(options: NotifyOptions, terminal: ProcessContext): Promise<number> {
  const { notify: channels, history: location } = await readTargets(options, terminal)
  const tested = typeof options.test === 'string' ? [await chosen(options.test, channels)] : channels
  const history = await openHistory(location, terminal.env)
  try {
    const receivers = await openReceivers(tested, location, history, terminal)
    const gone = new Set((await listChannels(history)).flatMap(({ name, gone }) => (gone === null ? [] : [name])))
    const test = (signal: AbortSignal) =>
      Promise.all(
        receivers.map(async ({ name, send }) => {
          const message = testMessage(name, new Date(systemClock.now()).toISOString())
          const outcome = await send(message, AbortSignal.any([signal, AbortSignal.timeout(workerTimeouts.timeoutMs)]))
          // The receiver answered, so the channel is enabled again.
          if (outcome.ok && gone.has(name)) await history.markGone(name, undefined)
          return { channel: name, id: message.id, outcome }
        }),
      )
    const { result, exitCode } = await withProgress(terminal, 'sending tests', () => untilSignalled(test))
    await printAnswer(answerChannelTest(result, limitOf(options)), channelTestView, options.format, terminal)
    return exitCode ?? (result.every(({ outcome }) => outcome.ok) ? exitCodes.clean : exitCodes.failure)
  } finally {
    await history.close()
  }
}

async function readTargets(options: NotifyOptions, { env, cwd }: ProcessContext): Promise<Configuration> {
  const sources = { env, readFile: readTextFile }
  const configuration = readConfiguration(resolve(cwd(), options.config), sources, {
    history: options.history,
    cwd: cwd(),
  })
  requireGivenKey(configuration.history, env)
  if (configuration.notify.length > 0) return configuration
  throw AuditError.usage(`${options.config} names no channels under notify`, {
    advice: '`hookdrift docs send-notifications` shows some',
  })
}

async function chosen(name: string, channels: readonly Channel[]): Promise<Channel> {
  const chosen = channels.find((channel) => channel.name === name)
  if (chosen !== undefined) return chosen
  const names = channels.map((channel) => channel.name)
  throw AuditError.usage(`there is no channel ${name}${suggestName(name, names)}`, {
    advice: `channels: ${names.join(', ')}`,
  })
}
