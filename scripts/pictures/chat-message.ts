/** A page that shows the text of an incoming webhook as a chat does: `*bold*`, `code` and `<address|links>`. */
export function chatPage(text: string): string {
  const body = text
    .split('\n')
    .map((line) => `<div>${marked(line)}</div>`)
    .join('\n')
  return `<!doctype html><meta charset="utf-8"><style>
body { margin: 0; background: #fff; font: 15px/22px system-ui, sans-serif; color: #1d1c1d }
main { display: flex; gap: 12px; padding: 18px 20px; width: 860px }
.icon { flex: none; width: 36px; height: 36px; border-radius: 6px; background: #1f4e5f; color: #fff; font: 700 17px/36px system-ui; text-align: center }
h1 { margin: 0 0 2px; font-size: 15px; line-height: 20px }
h1 span { font-weight: 400; font-size: 12px; color: #616061; margin-left: 6px }
a { color: #1264a3; text-decoration: none }
h1 b { background: #e8e8e8; color: #454245; font-size: 10px; line-height: 14px; padding: 0 4px; border-radius: 2px; margin-left: 6px }
code { font: 12.5px/18px ui-monospace, 'DejaVu Sans Mono', monospace; background: #f6f6f6; border: 1px solid #ddd; border-radius: 3px; color: #b01a3a; padding: 1px 3px; overflow-wrap: anywhere }
</style><main><div class="icon">h</div><div><h1>hookdrift<b>APP</b></h1>
${body}
</div></main>`
}

function marked(line: string): string {
  return line
    .split(/(`[^`]*`)/)
    .map((part) =>
      part.startsWith('`')
        ? `<code>${part.slice(1, -1)}</code>`
        : part
            .replace(/(^|\s)\*([^*]+)\*/g, '$1<strong>$2</strong>')
            .replace(/<(http[^|>]+)\|([^>]+)>/g, '<a href="$1">$2</a>'),
    )
    .join('')
}
