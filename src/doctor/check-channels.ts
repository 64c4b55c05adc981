import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Channel } from '../config/configuration.ts'
import { httpAddress, smtpServer } from '../config/notify-schema.ts'
import { reasonOf } from '../model/errors.ts'
import { showTime } from '../report/text/show-time.ts'
import { networkFailure } from '../service/network-failure.ts'
import { type ProxyVariables, proxyFor } from '../service/proxy-for.ts'
import { type HostPort, hostPortOf, resolveHost, tryConnection } from '../service/reach-host.ts'
import { contain, type Diagnosis, fail, ok, skipped, warn } from './check.ts'

const waitMs = 5_000

const checkWay = 'Check the address of the channel, and the way to it from this machine.'

/** Checks that the receivers can be reached. It sends them nothing: `hookdrift notify --test` does. */
export async function checkChannels(
  channels: readonly Channel[],
  {
    env,
    goneSince,
    isCut,
  }: {
    readonly env: ProxyVariables
    /** When the receiver of a channel answered that it is gone (ISO 8601, UTC). */
    readonly goneSince: ReadonlyMap<string, string>
    readonly isCut: boolean
  },
): Promise<readonly Diagnosis[]> {
  const diagnoses = await Promise.all(
    channels.map((channel) => {
      const goneAt = goneSince.get(channel.name)
      if (goneAt !== undefined) return [goneChannel(channel.name, goneAt)]
      return contain(checkWay, async () => [await checkChannel(channel, env)])
    }),
  )
  const cut = isCut ? [skipped('a channel has a mistake, or a secret is not set: see configuration')] : []
  if (channels.length === 0 && !isCut) return [skipped('none configured: an audit notifies nothing')]
  return [...diagnoses.flat(), ...cut]
}

function goneChannel(name: string, at: string): Diagnosis {
  return warn(
    `${name}: disabled, because its receiver answered 410 at ${showTime(at)}`,
    `Correct its address, and run \`hookdrift notify --test ${name}\`, which enables it again.`,
  )
}

/** URLs of channels are secrets: a message shows the host alone. */
async function checkChannel(channel: Channel, env: ProxyVariables): Promise<Diagnosis> {
  const { name } = channel
  if (channel.type === 'log') return ok(`${name}: writes to the log`)
  if (channel.type === 'directory') return checkDirectory(name, channel.path)
  const url = httpAddress(channel)?.url
  const target = url === undefined ? smtpServer('smtp' in channel ? channel.smtp : '') : hostPortOf(url)
  if (target === undefined) return skipped(`${name}: see configuration`)
  if (url !== undefined && proxyFor(new URL(url), env) !== undefined)
    return skipped(`${name}: ${target.host} is reached through a proxy; \`hookdrift notify --test ${name}\` tries it`)
  return checkReceiver(name, target)
}

async function checkReceiver(name: string, { host, port }: HostPort): Promise<Diagnosis> {
  const at = `${host}:${port}`
  try {
    await resolveHost(host)
    await tryConnection({ host, port }, waitMs)
    return ok(`${name}: ${at} accepts connections, its secrets are set; nothing was sent`)
  } catch (error) {
    return fail(`${name}: ${networkFailure(error).what}: ${at}`, checkWay)
  }
}

function checkDirectory(name: string, path: string): Diagnosis {
  let directory = path
  while (!existsSync(directory) && dirname(directory) !== directory) directory = dirname(directory)
  try {
    if (!statSync(directory).isDirectory()) throw new Error('it is not a directory')
    accessSync(directory, constants.W_OK)
    return ok(`${name}: ${path}${directory === path ? '' : ', made when the first report is written'}`)
  } catch (error) {
    return fail(
      `${name}: cannot write to ${directory}: ${reasonOf(error)}`,
      'Let this user write there, or change `path`.',
    )
  }
}
