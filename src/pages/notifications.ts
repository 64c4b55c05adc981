import type { ChannelState } from '../history/outbox.ts'
import { listChannels } from '../history/sql/outbox.ts'
import { count } from '../model/text/count.ts'
import type { Column } from '../model/text/table.ts'
import { pendingMessages } from '../questions/pending-messages.ts'
import { showInstant } from '../report/html/components/parts.ts'
import { html, type Markup } from '../report/html/markup.ts'
import { pageSection } from '../report/html/render-page.ts'
import { showTime } from '../report/text/show-time.ts'
import { answerTable, readRowLinks } from './answer-table.ts'
import type { SiteContent, SitePage, SiteRequest } from './page.ts'
import { asked, questionPage, showQuestion } from './question-page.ts'
import { readConfigured } from './read-configured.ts'

const page = {
  path: '/notifications',
  title: 'Notifications',
  about: 'Pending and undeliverable messages. As of now, not of a run.',
  ...asked(pendingMessages),
  words: ['notify'],
  usual: () => ({ pending: 'true' }),
  hidden: ['pending'],
  isOfAllProjects: true as const,
}

/** What people were not sent: which channels fail, and the messages that wait or were given up. */
export const notificationsPage: SitePage = {
  ...questionPage(page),
  async show(request): Promise<SiteContent> {
    const { configuration, alarm } = await readConfigured(request)
    const channels = await listChannels(request.history)
    const lost = channels.filter(({ gone, dead }) => gone !== null || dead > 0)
    const content = await showQuestion(page, request)
    return {
      ...content,
      alarm: html`${alarm}${lost.length !== 0 && showLost(lost)}`,
      body: html`${content.body}${await showChannels(request, channels, configuration?.channels)}`,
    }
  },
}

function showLost(lost: readonly ChannelState[]): Markup {
  const lines = lost.map(({ name, dead, gone }) =>
    gone === null
      ? html`<li><b>${name}:</b> ${count(dead, 'undeliverable message')}</li>`
      : html`<li><b>${name}:</b> its receiver answered 410 at ${showInstant(gone.at)}: disabled until a test message arrives</li>`,
  )
  return html`<div class="unscanned" role="note"><p><b>${count(lost.length, 'channel')} ${lost.length === 1 ? 'fails' : 'fail'} to deliver.</b></p><ul>${lines}</ul></div>
`
}

interface ChannelRow {
  readonly channel: string
  readonly type: string
  readonly last_message: string
}

const columns: readonly Column<ChannelRow>[] = ['channel', 'type', 'last_message']

/** Every channel that ever had a message, and those that are configured. `configured`: undefined where that is unknown. */
async function showChannels(
  request: SiteRequest,
  channels: readonly ChannelState[],
  configured: readonly { readonly name: string; readonly type: string }[] | undefined,
): Promise<Markup | false> {
  const unknown = configured === undefined ? 'unknown: no configuration is read' : 'no longer configured'
  const known = new Set(channels.map(({ name }) => name))
  const rows: readonly ChannelRow[] = [
    ...channels.map(({ name, lastMessage }) => ({
      channel: name,
      type: configured?.find((one) => one.name === name)?.type ?? unknown,
      last_message:
        lastMessage === null ? 'none is kept' : `${showTime(lastMessage.createdAt)}: ${fates[lastMessage.state]}`,
    })),
    ...(configured ?? []).flatMap(({ name, type }) =>
      known.has(name) ? [] : [{ channel: name, type, last_message: 'none yet' }],
    ),
  ]
  if (rows.length === 0) return false
  const content = answerTable('Channels', rows, { columns }, await readRowLinks(request))
  return pageSection({ id: 'channels', title: 'Channels', count: rows.length, content })
}

const fates = { pending: 'waits', delivered: 'delivered', dead: 'undeliverable' } as const
