import type { ProxyVariables } from '../../service/proxy-for.ts'
import { cut, neutralise } from '../../text/neutralise.ts'
import type { Message, SendMessage } from '../message.ts'
import { post } from '../request.ts'
import { fitMessage, type Line, type Link, type PieceMarkup, showMessage, showPiece } from '../show-message.ts'

/**
 * Teams refuses a message beyond about 28 KB, and does not say how it counts; this leaves room.
 * https://learn.microsoft.com/en-us/connectors/teams/#known-issues-and-limitations-with-actions
 */
const mostBytes = 20_000

/**
 * A workflow of Microsoft Teams that posts the card that it receives: a message with an Adaptive Card as its attachment.
 * https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using
 */
export function sendToTeams({ url }: { readonly url: string }, env: ProxyVariables): SendMessage {
  return (message, signal) => {
    const body = fitMessage(message, bodyOf, (json) => Buffer.byteLength(json) <= mostBytes)
    return post({ url, headers: {}, body }, env, signal)
  }
}

function bodyOf(message: Message): string {
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    fallbackText: inert(cut(message.title, 300)),
    body: showMessage(message).flatMap(elementOf),
  }
  const attachment = { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }
  return JSON.stringify({ type: 'message', attachments: [attachment] })
}

/** Foreign text goes into runs, which have no Markdown; a block of text has links of ours alone. */
function elementOf(line: Line): readonly object[] {
  if (line.level === 'links') {
    return [{ type: 'TextBlock', text: line.links.map(markdownLink).join(' · '), wrap: true, spacing: 'None' }]
  }
  const isTitle = line.level === 'title'
  const inlines = line.pieces.map((piece, at) => ({
    ...showPiece(piece, markup),
    ...(isTitle
      ? { weight: 'Bolder', size: 'Medium' }
      : line.level === 'event' && at === 0
        ? { weight: 'Bolder' }
        : {}),
  }))
  const layout = line.level === 'event' ? { separator: true } : line.level === 'detail' ? { spacing: 'None' } : {}
  // A run without text is not allowed.
  const filled = inlines.filter(({ text }) => text !== '')
  return filled.length === 0 ? [] : [{ type: 'RichTextBlock', inlines: filled, ...layout }]
}

const run = (text: string, more = {}) => ({ type: 'TextRun', text: inert(text), ...more })

const markup: PieceMarkup<ReturnType<typeof run>> = {
  words: (text) => run(cut(text, 600)),
  command: (text) => run(text, { fontType: 'Monospace' }),
  name: (text) => run(`"${cut(text, 300)}"`, { weight: 'Bolder' }),
  foreign: (text) => run(cut(text, 500)),
  prose: (text) => run(cut(text, 500)),
}

function markdownLink({ label, url }: Link): string {
  return `[${label}](${url.replace(/[()]/g, (mark) => (mark === '(' ? '%28' : '%29'))})`
}

/** Without what a client may turn into a link, a mention or a date. */
function inert(text: string): string {
  return neutralise(text).replaceAll('://', ':\u2060//').replaceAll('@', '@\u2060').replaceAll('{{', '{\u2060{')
}
