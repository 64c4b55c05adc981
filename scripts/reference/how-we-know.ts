/** How a page says that what its rule claims about the gateway is so: the sentences of its section "How we know". */
export function howWeKnow(page: string): readonly string[] {
  const [, section = ''] = /^## How we know\n\n([\s\S]*?)\n\n## /m.exec(page) ?? []
  return section.split(/^- /m).flatMap((text) => (text === '' ? [] : [text.trim().replaceAll(/\s+/g, ' ')]))
}

/** `Tried on v26.3.6: …`, ``Read in v25.6.3 and v26.7.3, `api/ingest.go`: …``, or `Not about the gateway: …`. */
export const knownForm =
  /^(?:Tried on v\d+\.\d+\.\d+: |Read in v\d+\.\d+\.\d+(?:(?:, | to | and )v\d+\.\d+\.\d+)*, (?:`[\w./{},-]+`(?:, | and )?)+: |Not about the gateway: ).{10,}\.$/
