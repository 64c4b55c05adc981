import type { ProxyVariables } from '../../service/proxy-for.ts'
import { cut } from '../../text/cut.ts'
import { neutralise } from '../../text/neutralise.ts'
import type { SendMessage } from '../outcome.ts'
import { post } from '../post.ts'
import { type Line, showMessage } from '../show-message.ts'

/** An incoming webhook of Slack or of a compatible service. It has no field for an id; the text carries it. */
export function sendToSlack({ url }: { readonly url: string }, env: ProxyVariables): SendMessage {
  return (message, signal) => {
    const text = [...showMessage(message).map(slackLine), `_${message.id}_`].join('\n')
    // Slack must not interpret our text beyond its own markup.
    const asWritten = { mrkdwn: true, parse: 'none', link_names: false, unfurl_links: false, unfurl_media: false }
    return post({ url, headers: {}, body: JSON.stringify({ text, ...asWritten }) }, env, signal)
  }
}

function slackLine({ own, foreign, level }: Line): string {
  const said = level === 'title' ? `*${escaped(own)}*` : escaped(own)
  return foreign === undefined ? said : `${said} ${slackCode(foreign)}`
}

/**
 * Foreign text, as code: Slack interprets no mentions, links or emphasis there. Characters that could end the code or
 * begin a mention or a link are escaped.
 */
export function slackCode(text: string): string {
  const inert = neutralise(cut(text, 300))
    .replaceAll('`', "'")
    .replaceAll('@', '@\u2060')
    .replaceAll('://', ':\u2060//')
  return `\`${escaped(inert)}\``
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
