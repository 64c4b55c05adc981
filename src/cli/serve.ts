import { resolve } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { untilSignalled } from '../app/end-in-order.ts'
import { type HistoryOptions, hasConfiguration } from '../app/locate-history.ts'
import { openLog } from '../app/log.ts'
import { type ProcessContext, printWarning } from '../app/process-context.ts'
import { readTextFile } from '../app/read-text-file.ts'
import { answerHealth } from '../app/serving/answer-in-thread.ts'
import { listen } from '../app/serving/listen.ts'
import { hostCheck } from '../app/serving/refuse-request.ts'
import { letAuditsGoFirst } from '../app/system.ts'
import { readConfiguration } from '../config/read-configuration.ts'
import {
  guardAdvice,
  isOpenToAll,
  type ListenAddress,
  listenAddress,
  type ServeSettings,
  serveSettingsOf,
} from '../config/serve-schema.ts'
import { AuditError, exitCodes, messageOf } from '../model/errors.ts'
import { openPagesThread } from './open-pages-thread.ts'
import { withHistory } from './print-answer.ts'
import { addHistoryOptions } from './query-options.ts'

interface ServeOptions extends HistoryOptions {
  readonly listen?: ListenAddress
  /** Whether `--config` or the environment names a file. */
  readonly isNamed: boolean
}

const usualListen = { host: '127.0.0.1', port: 9465 }

export function defineServe(command: Command) {
  addHistoryOptions(command).addOption(
    new Option(
      '--listen <address>',
      'port, or address and port (default: serve.listen of the configuration, or 127.0.0.1:9465)',
    ).argParser(toAddress),
  )
  return (options: Omit<ServeOptions, 'isNamed'>, terminal: ProcessContext) =>
    serve({ ...options, isNamed: command.getOptionValueSource('config') !== 'default' }, terminal)
}

function toAddress(text: string): ListenAddress {
  const address = listenAddress(text)
  if (address !== undefined) return address
  throw new InvalidArgumentError('Expected an address and a port such as 127.0.0.1:9465.')
}

async function serve(options: ServeOptions, given: ProcessContext): Promise<number> {
  // It runs for long, and says who came: so it logs more than a command.
  const terminal = { ...given, env: { ...given.env, HOOKDRIFT_LOG: given.env.HOOKDRIFT_LOG || 'info' } }
  // Without a file that was named, or was there before, everyone could read the pages.
  let isConfigured = options.isNamed
  const readAgain = () => {
    isConfigured ||= hasConfiguration(options.config, terminal)
    return isConfigured ? readSettings(options, terminal) : serveSettingsOf()
  }
  const settings = readAgain()
  const address = options.listen ?? settings.listen ?? usualListen
  refuseUnguarded(address, settings)
  const log = openLog(terminal)
  const namedAddress = { ...address, hosts: settings.hosts }
  /** What it listens on stays; who may read, and the history that the configuration names, are read again. */
  const reload = async () => {
    log.info('SIGHUP: the configuration is being read again')
    try {
      const changed = readAgain()
      refuseUnguarded(address, changed)
      await withHistory(options, terminal, async () => {})
      pages.show(changed)
      if (portOf(changed) !== portOf(settings)) {
        log.warn('serve.listen or serve.hosts has changed: restart hookdrift serve to apply it')
      }
      log.info('reloaded: the pages are for the readers that the configuration names now')
    } catch (error) {
      log.warn({ error: messageOf(error) }, 'configuration reload failed; keeping the previous configuration')
    }
  }
  // A history that cannot be read is said now, not on the first page.
  await withHistory(options, terminal, async () => {})
  const pages = openPagesThread(options, { terminal, log, address: namedAddress, settings }, 'serve')
  const answer = answerHealth(hostCheck(namedAddress), pages.answer)
  const serving = await listen(address, answer, 'pass another address with --listen')
  letAuditsGoFirst()
  try {
    pages.start()
    terminal.stdout.write(`hookdrift serves its pages at ${serving.url}/ (Ctrl-C ends it)\n`)
    const { exitCode } = await untilSignalled(
      (signal) => new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
      () => void reload(),
    )
    return exitCode ?? exitCodes.clean
  } finally {
    await serving.close()
    await pages.close()
  }
}

/** Who may read, as the configuration says, also where the history is named without it. */
function readSettings({ config }: ServeOptions, terminal: ProcessContext): ServeSettings {
  const sources = { env: terminal.env, readFile: readTextFile }
  const { serve = serveSettingsOf(), warnings } = readConfiguration(resolve(terminal.cwd(), config), sources, {
    needs: ['serve'],
    needsTokens: 'all',
  })
  for (const warning of warnings) printWarning(warning, terminal)
  return serve
}

function portOf({ listen, hosts }: ServeSettings): string {
  return JSON.stringify([listen, hosts])
}

function refuseUnguarded(address: ListenAddress, settings: ServeSettings): void {
  if (!isOpenToAll(address, settings)) return
  throw AuditError.usage(`the pages would be open to everyone who reaches ${address.host}`, { advice: guardAdvice })
}
