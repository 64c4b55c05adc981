import type { ProxyVariables } from '../../gateway/service/proxy-for.ts'
import { cut, neutralise } from '../../model/text/neutralise.ts'
import type { Message, SendMessage } from '../message.ts'
import { post } from '../request.ts'
import { fitMessage, type Line, type SpanMarkup, showLine, showMessage } from '../show-message.ts'

interface Slack {
  readonly url: string
  readonly max_characters: number
}

/** An incoming webhook of Slack or of a compatible service. */
export function sendToSlack({ url, max_characters }: Slack, env: ProxyVariables): SendMessage {
  return (message, signal) => {
    const text = fitMessage(message, textOf, ({ length }) => length <= max_characters)
    // Slack must not interpret our text beyond its own markup.
    const asWritten = { mrkdwn: true, parse: 'none', link_names: false, unfurl_links: false, unfurl_media: false }
    return post({ url, headers: {}, body: JSON.stringify({ text, ...asWritten }) }, env, signal)
  }
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
  return inert === '' ? '' : `\`${escaped(inert)}\``
}

function textOf(message: Message): string {
  return showMessage(message).map(slackLine).join('\n')
}

function slackLine(line: Line): string {
  const said = showLine(line, markup).join('')
  if (line.level === 'title') return boldBeforeCode(said)
  return line.level === 'item' ? `• ${said}` : said
}

/** Not every client shows emphasis around code: what is bold ends before it. */
function boldBeforeCode(said: string): string {
  const end = said.indexOf(' `')
  return end === -1 ? bold(said) : `${bold(said.slice(0, end))}${said.slice(end)}`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

const markup: SpanMarkup = {
  words: slackProse,
  strong: (text) => bold(slackProse(text)),
  code: slackCode,
  link: (label, url) => `<${escaped(url)}|${label}>`,
}

/** A sentence with foreign text in it: what backticks enclose is code, and so is all else that is not a plain word. */
function slackProse(text: string): string {
  return text
    .split('`')
    .map((part, at) => (at % 2 === 1 ? slackCode(part) : plainWords(part)))
    .reduce((joined, part) => (joined.endsWith('`') && part.startsWith('`') ? `${joined} ${part}` : joined + part), '')
}

function plainWords(sentence: string): string {
  return splitPlainWords(neutralise(sentence))
    .map(({ text: part, isPlain }) => (isPlain ? part : asCode(part)))
    .join(' ')
}

/** A part of a sentence: words that no chat can read as markup, or anything else. */
interface Part {
  readonly text: string
  readonly isPlain: boolean
}

/**
 * Splits a sentence so that neighbouring words of one sort are one part. Joined with blanks, the parts are the sentence.
 * What is within quotation marks is one part.
 */
function splitPlainWords(sentence: string): readonly Part[] {
  const parts: { text: string; isPlain: boolean }[] = []
  let isQuoted = false
  for (const word of sentence.split(' ')) {
    const isPlain = !isQuoted && isPlainWord(word)
    if (word.split('"').length % 2 === 0) isQuoted = !isQuoted
    const last = parts.at(-1)
    if (last === undefined || last.isPlain !== isPlain) parts.push({ text: word, isPlain })
    else last.text += ` ${word}`
  }
  return parts
}

/**
 * Letters or digits, with a hyphen or an apostrophe inside and a mark of the sentence behind, a number or times of a day;
 * in parentheses or not.
 */
function isPlainWord(word: string): boolean {
  const letters = /^\(?[\p{L}\p{M}\p{Nd}]{0,60}(?:['’-][\p{L}\p{M}\p{Nd}]{1,60}){0,4}\)?[,.;:]?$/u
  const numbers = /^\(?(?:\d{1,20}(?:\.\d{1,20})?|\d\d:\d\d(?:–\d\d:\d\d)?|%|×)\)?[,.;:]?$/
  return letters.test(word) || numbers.test(word)
}

/** The sentence's own punctuation stays outside, and a parenthesis that opens or ends outside. */
function asCode(part: string): string {
  const opening = part.startsWith('(') && !part.includes(')') ? '(' : ''
  const mark = part.length > 1 && ',.;:'.includes(part.slice(-1)) ? part.slice(-1) : ''
  const code = part.slice(opening.length, part.length - mark.length)
  const closing = code.endsWith(')') && !code.includes('(') ? ')' : ''
  return opening + slackCode(code.slice(0, code.length - closing.length)) + closing + mark
}

function bold(text: string): string {
  return `*${text}*`
}
