import type { ChannelState, LastMessage } from '../history/outbox.ts'
import { listChannels } from '../history/sql/outbox.ts'
import { answerOutbox, type OutboxRow } from '../questions/pending-messages.ts'
import { emptyState, showInstant } from '../report/html/components/parts.ts'
import { cell, table } from '../report/html/components/table.ts'
import { html, type Markup, nothing } from '../report/html/markup.ts'
import { pageSection } from '../report/html/render-page.ts'
import { shorten } from '../report/text/shorten.ts'
import { count } from '../text/count.ts'
import { type RunNames, readRunNames } from './find-runs.ts'
import type { SiteConfiguration, SiteContent, SitePage } from './page.ts'
import { readConfigured } from './read-configured.ts'

const mostMessages = 200

/** What people were not sent: which channels fail, and the messages that wait or were given up. */
export const notificationsPage: SitePage = {
  path: '/notifications',
  parameters: [],
  isOfRun: false,
  isOfAllProjects: true,
  async show(request): Promise<SiteContent> {
    const { history } = request
    const runs = await readRunNames(request)
    const channels = await listChannels(history)
    const { configuration, alarm } = await readConfigured(request)
    const configured = configuration?.channels
    const { rows, omitted } = await answerOutbox(history, mostMessages)
    const lost = channels.filter(({ gone, dead }) => gone !== null || dead > 0)
    const dead = rows.filter(({ state }) => state === 'dead')
    const pending = rows.filter(({ state }) => state === 'pending')
    const waiting = channels.reduce((sum, channel) => sum + channel.pending, 0)
    const givenUp = channels.reduce((sum, channel) => sum + channel.dead, 0)
    return {
      title: 'Notifications',
      crumbs: [],
      alarm: html`${alarm}${lost.length !== 0 && showLost(lost)}`,
      body: html`<p class="meta">${count(waiting, 'message')} ${waiting === 1 ? 'waits' : 'wait'}, ${givenUp} given up. As of now, not of a run.</p>
${showChannels(channels, configured)}${section('dead', 'Given up', dead, runs)}${section('pending', 'Waiting', pending, runs)}${channels.length > 0 && rows.length === 0 && emptyState('No message waits.', 'none')}${omitted !== 0 && html`<p class="soft">${String(omitted)} more are not shown: the command shows all.</p>`}`,
      same: { command: ['notify'], options: { pending: true }, isOfNoRun: true },
    }
  },
}

function showLost(lost: readonly ChannelState[]): Markup {
  const lines = lost.map(({ name, dead, gone }) =>
    gone === null
      ? html`<li><b>${name}:</b> ${count(dead, 'message')} given up</li>`
      : html`<li><b>${name}:</b> its receiver answered 410 at ${showInstant(gone.at)}: disabled until a test message arrives</li>`,
  )
  return html`<div class="unscanned" role="note"><p><b>${count(lost.length, 'channel')} ${lost.length === 1 ? 'fails' : 'fail'} to deliver.</b></p><ul>${lines}</ul></div>
`
}

/** Every channel that ever had a message, and those that are configured. `configured`: undefined where that is unknown. */
function showChannels(
  channels: readonly ChannelState[],
  configured: SiteConfiguration['channels'] | undefined,
): Markup {
  const typeOf = new Map(configured?.map(({ name, type }) => [name, type]))
  const channelNames = new Set(channels.map(({ name }) => name))
  const silent = (configured ?? []).filter(({ name }) => !channelNames.has(name))
  if (channels.length + silent.length === 0) {
    const reason =
      configured === undefined ? 'either none is configured, or nothing was to be reported' : 'none is configured'
    return emptyState(`No channel has had a message yet: ${reason}.`, 'none')
  }
  const showType = (name: string) => {
    if (configured === undefined) return 'unknown: no configuration is read'
    return typeOf.get(name) ?? 'no longer configured'
  }
  const rows = [
    ...channels.map((channel) => showChannel(channel, showType(channel.name))),
    ...silent.map(({ name, type }) => showSilent(name, type)),
  ]
  return pageSection({
    id: 'channels',
    title: 'Channels',
    count: rows.length,
    content: table('Channels', channelColumns, rows),
  })
}

const channelColumns = [
  { title: 'Channel' },
  { title: 'Type' },
  { title: 'State' },
  { title: 'Waiting', isNumber: true },
  { title: 'Given up', isNumber: true },
  { title: 'Last message' },
  { title: 'Last delivered' },
]

function showChannel({ name, pending, dead, lastDeliveredAt, lastMessage, gone }: ChannelState, type: string): Markup {
  const state = gone === null ? 'open' : html`<b class="bad">gone</b>`
  const last = lastDeliveredAt === null ? 'nothing yet' : showInstant(lastDeliveredAt)
  return html`<tr data-channel="${name}"><th scope="row">${name}</th>${cell('Type', type)}${cell('State', state)}${cell('Waiting', pending, 'n')}${cell('Given up', dead, 'n')}${cell('Last message', describeLast(lastMessage))}${cell('Last delivered', last)}</tr>
`
}

/** One that is configured and had no message. */
function showSilent(name: string, type: string): Markup {
  return html`<tr data-channel="${name}"><th scope="row">${name}</th>${cell('Type', type)}${cell('State', 'open')}${cell('Waiting', 0, 'n')}${cell('Given up', 0, 'n')}${cell('Last message', 'none yet')}${cell('Last delivered', 'nothing yet')}</tr>
`
}

function describeLast(message: LastMessage | null): Markup | string {
  if (message === null) return 'none is kept'
  const { createdAt, state } = message
  const fate = state === 'dead' ? html`<b class="bad">given up</b>` : state === 'pending' ? 'waits' : 'delivered'
  return html`${showInstant(createdAt)}: ${fate}`
}

const messageColumns = [
  { title: 'Channel' },
  { title: 'Run' },
  { title: 'Since' },
  { title: 'Attempts', isNumber: true },
  { title: 'Next try' },
  { title: 'Last error' },
]

function section(id: string, title: string, rows: readonly OutboxRow[], runs: RunNames): Markup {
  if (rows.length === 0) return nothing
  const content = table(
    title,
    messageColumns,
    rows.map((row) => showMessage(row, runs)),
  )
  return pageSection({ id, title, count: rows.length, content })
}

function showMessage({ channel, run, created_at, attempts, next_try_at, error }: OutboxRow, runs: RunNames): Markup {
  const of = run === null ? 'none' : runs.name(run)
  const next = next_try_at === null ? 'none: given up' : showInstant(next_try_at)
  return html`<tr data-channel="${channel}"><th scope="row">${channel}</th>${cell('Run', of)}${cell('Since', showInstant(created_at))}${cell('Attempts', attempts, 'n')}${cell('Next try', next)}${cell('Last error', shorten(error ?? 'none', 500))}</tr>
`
}
