/** An address that deliveries may go to; undefined where it has no host. `{template}` parts count as letters. */
export function parseAddress(url: string): URL | undefined {
  const parsed = URL.parse(withoutTemplates(url.trim()))
  return parsed === null || parsed.hostname === '' ? undefined : parsed
}

/** A template for a port becomes none, any other a letter. Each pattern reads a run of braces once. */
function withoutTemplates(url: string): string {
  if (!url.includes('{')) return url
  return url.replace(/:\{+[^{}]*\}+(?=[/?#]|$)/g, '').replace(/(?<!\{)\{+[^{}]*\}+/g, 'x')
}
