/** Colours of a terminal, by their numbers, with its ground and its text. */
interface Scheme {
  readonly ground: string
  readonly text: string
  readonly colours: Readonly<Record<string, string>>
}

export const dark: Scheme = {
  ground: '#0d1117',
  text: '#e6edf3',
  colours: { '31': '#ff7b72', '32': '#7ee787', '33': '#e3b341', '35': '#d2a8ff', '36': '#79c0ff' },
}
export const light: Scheme = {
  ground: '#f6f8fa',
  text: '#1f2328',
  colours: { '31': '#b3261e', '32': '#116329', '33': '#7d4e00', '35': '#8250df', '36': '#0550ae' },
}

const [letter, line, margin] = [7.82, 18, 18]

/** What a terminal shows of a text with its colours, as SVG. */
export function terminalPicture(command: string, output: string, scheme = dark): string {
  const lines = [`\x1b[1m$ ${command}\x1b[0m`, ...output.trimEnd().split('\n')]
  const columns = Math.max(...lines.map((text) => text.replace(/\x1b\[[\d;]*m/g, '').length))
  const [width, height] = [Math.ceil(columns * letter) + 2 * margin, lines.length * line + 2 * margin]
  const rows = lines.map(
    (text, index) => `<text x="${margin}" y="${margin + 13 + index * line}">${spansOf(text, scheme)}</text>`,
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>${command.split(' --')[0]} in a terminal</title>
<rect width="${width}" height="${height}" rx="8" fill="${scheme.ground}"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="13" fill="${scheme.text}" xml:space="preserve">
${rows.join('\n')}
</g>
</svg>
`
}

function spansOf(text: string, scheme: Scheme): string {
  let style: readonly string[] = []
  return text
    .split(/(\x1b\[[\d;]*m)/)
    .map((part) => {
      const codes = /^\x1b\[([\d;]*)m$/.exec(part)?.[1]
      if (codes === undefined) return part === '' ? '' : span(part, style, scheme)
      style =
        codes === '' || codes === '0' ? [] : [...style, ...codes.split(';')].filter((code) => !/^(0|22|39)$/.test(code))
      if (/^(22|39)$/.test(codes)) style = []
      return ''
    })
    .join('')
}

function span(text: string, style: readonly string[], { colours }: Scheme): string {
  const colour = style.map((code) => colours[code]).findLast((found) => found !== undefined)
  const attributes = [
    ...(colour === undefined ? [] : [`fill="${colour}"`]),
    ...(style.includes('1') ? ['font-weight="700"'] : []),
    ...(style.includes('2') ? ['opacity="0.65"'] : []),
  ]
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll(' ', '\u00a0')
  return attributes.length === 0 ? escaped : `<tspan ${attributes.join(' ')}>${escaped}</tspan>`
}
