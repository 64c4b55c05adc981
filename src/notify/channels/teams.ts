import type { ProxyVariables } from '../../gateway/service/proxy-for.ts'
import { cut, neutralise } from '../../model/text/neutralise.ts'
import type { Message, SendMessage } from '../message.ts'
import { post } from '../request.ts'
import { fitMessage, type Line, type SpanMarkup, showLine, showMessage } from '../show-message.ts'

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
  const { level } = line
  const shown = showLine(line, markup)
  if (shown.some(({ type }) => type === 'Link')) {
    return [{ type: 'TextBlock', text: shown.map(({ text }) => text).join(''), wrap: true, spacing: 'None' }]
  }
  const heading = level === 'title' ? { weight: 'Bolder', size: 'Medium' } : {}
  // A run without text is not allowed.
  const inlines = shown.filter(({ text }) => text !== '').map((run) => ({ ...run, ...heading }))
  const layout = level === 'item' ? { separator: true } : level === 'below' ? { spacing: 'None' } : {}
  return inlines.length === 0 ? [] : [{ type: 'RichTextBlock', inlines, ...layout }]
}

const run = (text: string, more = {}) => ({ type: 'TextRun', text: inert(text), ...more })

const markup: SpanMarkup<{ readonly type: string; readonly text: string }> = {
  words: run,
  strong: (text) => run(text, { weight: 'Bolder' }),
  code: (text) => run(text, { fontType: 'Monospace' }),
  link: (label, url) => ({ type: 'Link', text: `[${label}](${url})` }),
}

/** Without what a client may turn into a link, a mention or a date. */
function inert(text: string): string {
  return neutralise(text).replaceAll('://', ':\u2060//').replaceAll('@', '@\u2060').replaceAll('{{', '{\u2060{')
}
