import MarkdownIt from 'markdown-it'
import type { SimulatedTicket } from './simulated-tracker.ts'

type ShownTicket = Pick<SimulatedTicket, 'title' | 'text' | 'comments'>

const markdown = MarkdownIt({ html: true, linkify: true })

/** Addresses of ours, as the samples configure them. */
const ownAddress = /^https:\/\/(?:convoy|reports)\.example\//

/** What of an issue GitHub would act on, besides links of ours: markup, images, links, mentions and references. */
export function actsInGitHub({ title, text, comments }: ShownTicket): readonly string[] {
  return [
    ...[text, ...comments].flatMap(actsInMarkdown),
    ...(/@(?!\u2060)|#(?!\u2060)|:\/\/|\n/.test(title) ? [`title: ${title}`] : []),
  ]
}

/** The first line is the mark by which hookdrift finds it. */
function actsInMarkdown(body: string): readonly string[] {
  const end = body.indexOf('\n')
  const mark = /^<!-- hookdrift:[\w-]+(?: msg_\w+)? -->$/.test(body.slice(0, end))
    ? []
    : [`mark: ${body.slice(0, 100)}`]
  const tokens = markdown.parse(body.slice(end), {}).flatMap((token) => [token, ...(token.children ?? [])])
  const acting = tokens.flatMap((token) => {
    const { type, content } = token
    if (/^(?:html|image|heading|list|bullet|table|fence)/.test(type)) return [`${type} ${content}`]
    if (type === 'link_open' && !ownAddress.test(`${token.attrGet('href')}`)) return [`link ${token.attrGet('href')}`]
    return type === 'text' && /[@#<]|GH-|:\/\/|www\.|deadbeef/.test(content) ? [`text ${content}`] : []
  })
  return [...mark, ...acting]
}

/** What of an issue Jira would act on, besides links and commands of ours. */
export function actsInJira({ title, text, comments }: ShownTicket): readonly string[] {
  return [...[text, ...comments].flatMap(actsInWikiText), ...(title.includes('\n') ? [`title: ${title}`] : [])]
}

/** As Atlassian's renderer does: a backslash takes these characters their meaning, two are a line break. */
function actsInWikiText(text: string) {
  const live = text
    .replace(/\[(?:Open|Show)[^|\]]*\|https:\/\/(?:convoy|reports)\.example[^|\]]*\]/g, '')
    .replace(/\{\{hookdrift [^}]*\}\}/g, '')
    .replace(/\n\n(?:hookdrift-\d+ )?msg_\w+$/, '')
    .replace(/\\[![\]^~+?%{}()*_|@-]/g, '')
  const acting =
    /[![\]^~+?%{}()*_|@]|\\\\|&(?!\u2060)|:(?!\u2060)|<(?!\u2060)|\bh1\.(?!\u2060)|www\.(?!\u2060)|OPS-1/.exec(live)
  return acting === null ? [] : [`${acting[0]} in ${live.slice(Math.max(0, acting.index - 40), acting.index + 40)}`]
}
