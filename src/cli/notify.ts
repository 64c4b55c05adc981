import { type Command, InvalidArgumentError } from 'commander'
import type { HistoryOptions } from '../app/locate-history.ts'
import { pathFrom } from '../app/path-from.ts'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { readTextFile } from '../app/read-text-file.ts'
import type { Channel } from '../config/read-configuration.ts'
import { AuditError, exitCodes } from '../model/errors.ts'
import { type AnswerOptions, addAnswerOptions, limitOf, printAnswer, withHistory } from './query-options.ts'

interface NotifyOptions extends HistoryOptions, AnswerOptions {
  /** true: every channel. */
  readonly test?: string | true
  readonly pending?: true
}

export function defineNotify(program: Command, execute: Execute): void {
  const command = program
    .command('notify')
    .description('Deliver pending messages, test the channels, or show undelivered messages')
    .option('--test [channel]', 'send a test message to one channel, or to all, without the queue', nameOf)
    .option('--pending', 'only show the channels, pending messages and those that were given up')
    .option('--config <file>', 'configuration', 'hookdrift.yaml')
    .option('--history <file>', "history; overrides the configuration's and HOOKDRIFT_HISTORY")
  addAnswerOptions(command)
    .addHelpText(
      'after',
      `
  hookdrift notify              attempts every pending message now
  hookdrift notify --test       tests every channel
  hookdrift notify --pending    shows pending and given-up messages, and receivers that are gone; needs no secrets

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
  const answer = await withHistory(options, terminal, (history) => answerOutbox(history, limitOf(options)))
  return printAnswer(answer, outboxView, options.format, terminal)
}

async function deliverNow(options: NotifyOptions, terminal: ProcessContext): Promise<number> {
  const { deliverNotifications, watchInLog, worker } = await import('../app/deliver-notifications.ts')
  const { openLog } = await import('../app/log.ts')
  const { untilSignalled } = await import('../app/until-signalled.ts')
  const { channels, history } = await readChannels(options, terminal)
  const watch = watchInLog(openLog(terminal))
  const { exitCode } = await untilSignalled((signal) =>
    deliverNotifications({ channels, history }, { ...worker, isPatient: false }, { terminal, watch, signal }),
  )
  await showPending({ ...options, history: history.path }, terminal)
  return exitCode ?? exitCodes.clean
}

async function testChannels(options: NotifyOptions, terminal: ProcessContext): Promise<number> {
  const { openHistory } = await import('../app/open-history.ts')
  const { testMessage } = await import('../notify/compose-messages.ts')
  const { openReceivers, worker } = await import('../app/deliver-notifications.ts')
  const { systemClock } = await import('../app/system.ts')
  const { untilSignalled } = await import('../app/until-signalled.ts')

  const { channels, history: location } = await readChannels(options, terminal)
  const tested = typeof options.test === 'string' ? [await channelNamed(options.test, channels)] : channels
  const history = await openHistory(location, terminal.env)
  try {
    const receivers = await openReceivers(tested, location, history, terminal)
    const gone = new Set((await history.channels()).flatMap(({ name, gone }) => (gone === null ? [] : [name])))
    const { result, exitCode } = await untilSignalled((signal) =>
      Promise.all(
        receivers.map(async ({ name, send }) => {
          const message = testMessage(name, new Date(systemClock.now()).toISOString())
          const outcome = await send(message, AbortSignal.any([signal, AbortSignal.timeout(worker.timeoutMs)]))
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

async function readChannels(options: NotifyOptions, { env, cwd }: ProcessContext) {
  const { readConfiguration } = await import('../config/read-configuration.ts')
  const file = pathFrom(cwd(), options.config)
  const { notify: channels, history } = readConfiguration(
    file,
    { env, readFile: readTextFile },
    { history: options.history, cwd: cwd() },
  )
  if (channels.length > 0) return { channels, history }
  throw AuditError.usage(`${options.config} names no channels under notify`, {
    advice: 'docs/how-to/send-notifications.md shows some',
  })
}

async function channelNamed(name: string, channels: readonly Channel[]): Promise<Channel> {
  const { nearestName } = await import('../text/nearest-name.ts')
  const found = channels.find((channel) => channel.name === name)
  if (found !== undefined) return found
  const names = channels.map((channel) => channel.name)
  const nearest = nearestName(name, names)
  const meant = nearest === undefined ? '' : `, did you mean ${nearest}?`
  throw AuditError.usage(`there is no channel ${name}${meant}`, { advice: `channels: ${names.join(', ')}` })
}
