import type { ChannelState } from '../history/outbox.ts'
import { listChannels } from '../history/sql/outbox.ts'
import { answerOutbox, type OutboxRow } from '../questions/pending-messages.ts'
import { emptyState } from '../report/html/components/empty-state.ts'
import { cell, table } from '../report/html/components/table.ts'
import { html, type Markup, nothing } from '../report/html/markup.ts'
import { pageSection } from '../report/html/render-page.ts'
import { shorten } from '../report/text/shorten.ts'
import { count } from '../text/count.ts'
import { type RunNames, readRunNames } from './name-run.ts'
import type { SiteContent, SitePage } from './page.ts'
import { showInstant } from './show-instant.ts'

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
    const { rows, omitted } = await answerOutbox(history, mostMessages)
    const lost = channels.filter(({ gone, dead }) => gone !== null || dead > 0)
    const dead = rows.filter(({ state }) => state === 'dead')
    const pending = rows.filter(({ state }) => state === 'pending')
    const waiting = channels.reduce((sum, channel) => sum + channel.pending, 0)
    const givenUp = channels.reduce((sum, channel) => sum + channel.dead, 0)
    return {
      title: 'Notifications',
      crumbs: [],
      alarm: lost.length === 0 ? nothing : showLost(lost),
      body: html`<p class="meta">${count(waiting, 'message')} ${waiting === 1 ? 'waits' : 'wait'}, ${givenUp} given up. As of now, not of a run.</p>
${channels.length === 0 ? emptyState('No channel has had a message yet: either none is configured, or nothing was to be reported.', 'none') : pageSection({ id: 'channels', title: 'Channels', count: channels.length, content: table('Channels', channelColumns, channels.map(showChannel)) })}${section('dead', 'Given up', dead, runs)}${section('pending', 'Waiting', pending, runs)}${channels.length > 0 && rows.length === 0 ? emptyState('No message waits.', 'none') : nothing}${omitted === 0 ? nothing : html`<p class="soft">${String(omitted)} more are not shown: the command shows all.</p>`}`,
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

const channelColumns = [
  { title: 'Channel' },
  { title: 'State' },
  { title: 'Waiting', isNumber: true },
  { title: 'Given up', isNumber: true },
  { title: 'Last delivered' },
]

function showChannel({ name, pending, dead, lastDeliveredAt, gone }: ChannelState): Markup {
  const state = gone === null ? 'open' : html`<b class="bad">gone</b>`
  const last = lastDeliveredAt === null ? 'nothing yet' : showInstant(lastDeliveredAt)
  return html`<tr data-channel="${name}"><th scope="row">${name}</th>${cell('State', state)}${cell('Waiting', pending, 'n')}${cell('Given up', dead, 'n')}${cell('Last delivered', last)}</tr>
`
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
