import { resolve } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import type { HistoryOptions } from '../app/locate-history.ts'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { readTextFile } from '../app/read-text-file.ts'
import type { Channel, Configuration } from '../config/configuration.ts'
import { AuditError, exitCodes } from '../model/errors.ts'
import {
  type AnswerOptions,
  addAnswerOptions,
  addConfigurationOptions,
  answerFromHistory,
  limitOf,
  printAnswer,
} from './query-options.ts'

interface NotifyOptions extends HistoryOptions, AnswerOptions {
  /** true: every channel. */
  readonly test?: string | true
  readonly pending?: true
}

export function defineNotify(program: Command, execute: Execute): void {
  const command = addConfigurationOptions(program.command('notify'))
    .description('Deliver pending messages, test the channels, or show undelivered messages')
    .option('--test [channel]', 'send a test message to one channel, or to all, without the queue', nameOf)
    .option('--pending', 'only show the channels, pending messages and those that were given up')
  addAnswerOptions(command)
    .addHelpText(
      'after',
      `
Exit codes: 0, also when a delivery failed: the message stays pending; 2 usage or configuration,
            4 a --test message did not arrive.`,
    )
    .action((options: NotifyOptions) => execute((terminal) => notify(options, terminal)))
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
  const { answerOutbox, outboxView } = await import('../queries/answer-notifications.ts')
  return answerFromHistory(options, terminal, outboxView, (history) => answerOutbox(history, limitOf(options)))
}

async function deliverNow(options: NotifyOptions, terminal: ProcessContext): Promise<number> {
  const { deliverNotifications, watchInLog, workerTimeouts } = await import('../app/deliver-notifications.ts')
  const { openLog } = await import('../app/log.ts')
  const { untilSignalled } = await import('../app/until-signalled.ts')
  const targets = await readTargets(options, terminal)
  const watch = watchInLog(openLog(terminal))
  const { exitCode } = await untilSignalled((signal) =>
    deliverNotifications(targets, { ...workerTimeouts, isPatient: false }, { terminal, watch, signal }),
  )
  await showPending(options, terminal)
  return exitCode ?? exitCodes.clean
}

async function testChannels(options: NotifyOptions, terminal: ProcessContext): Promise<number> {
  const { openHistory } = await import('../app/open-history.ts')
  const { testMessage } = await import('../notify/compose-messages.ts')
  const { openReceivers, workerTimeouts } = await import('../app/deliver-notifications.ts')
  const { systemClock } = await import('../app/system.ts')
  const { untilSignalled } = await import('../app/until-signalled.ts')

  const { notify: channels, history: location } = await readTargets(options, terminal)
  const tested = typeof options.test === 'string' ? [await channelNamed(options.test, channels)] : channels
  const history = await openHistory(location, terminal.env)
  try {
    const receivers = await openReceivers(tested, location, history, terminal)
    const gone = new Set((await history.channels()).flatMap(({ name, gone }) => (gone === null ? [] : [name])))
    const { result, exitCode } = await untilSignalled((signal) =>
      Promise.all(
        receivers.map(async ({ name, send }) => {
          const message = testMessage(name, new Date(systemClock.now()).toISOString())
          const outcome = await send(message, AbortSignal.any([signal, AbortSignal.timeout(workerTimeouts.timeoutMs)]))
          // The receiver answered, so the channel is enabled again.
          if (outcome.ok && gone.has(name)) await history.markGone(name, undefined)
          return { channel: name, id: message.id, outcome }
        }),
      ),
    )
    const { answerChannelTest, channelTestView } = await import('../queries/answer-notifications.ts')
    await printAnswer(answerChannelTest(result, limitOf(options)), channelTestView, options.format, terminal)
    return exitCode ?? (result.every(({ outcome }) => outcome.ok) ? exitCodes.clean : exitCodes.failure)
  } finally {
    await history.close()
  }
}

async function readTargets(options: NotifyOptions, { env, cwd }: ProcessContext): Promise<Configuration> {
  const { readConfiguration } = await import('../config/read-configuration.ts')
  const sources = { env, readFile: readTextFile }
  const configuration = readConfiguration(resolve(cwd(), options.config), sources, {
    history: options.history,
    cwd: cwd(),
  })
  const { requireGivenKey } = await import('../app/installation-key.ts')
  requireGivenKey(configuration.history, env)
  if (configuration.notify.length > 0) return configuration
  throw AuditError.usage(`${options.config} names no channels under notify`, {
    advice: '`hookdrift docs send-notifications` shows some',
  })
}

async function channelNamed(name: string, channels: readonly Channel[]): Promise<Channel> {
  const { suggestName } = await import('../text/nearest-name.ts')
  const found = channels.find((channel) => channel.name === name)
  if (found !== undefined) return found
  const names = channels.map((channel) => channel.name)
  throw AuditError.usage(`there is no channel ${name}${suggestName(name, names)}`, {
    advice: `channels: ${names.join(', ')}`,
  })
}
