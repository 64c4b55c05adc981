import { cut, neutralise } from '../../text/neutralise.ts'

/** XML that is safe to write. Only `element` and `text` make it. */
export interface Xml {
  readonly xml: string
}

/** Each child is on a line of its own; text is put between the tags without line breaks. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  children: readonly Xml[] | Xml = [],
): Xml {
  const start = `<${name}${Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${escapeXml(String(value))}"`)
    .join('')}`
  if ('xml' in children) return { xml: `${start}>${children.xml}</${name}>` }
  if (children.length === 0) return { xml: `${start}/>` }
  return { xml: `${start}>\n${children.map(({ xml }) => xml).join('\n')}\n</${name}>` }
}

/** Lines of text. */
export function text(lines: readonly string[]): Xml {
  return { xml: lines.map(escapeXml).join('\n') }
}

/** XML cannot contain most controls and two non-characters, so they become visible, like all invisible characters. */
function escapeXml(value: string): string {
  return neutralise(cut(value, 5000)).replace(/[&<>"'\ufffe\uffff]/g, (character) => entities[character] ?? '')
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\ufffe': '\\ufffe',
  '\uffff': '\\uffff',
}
