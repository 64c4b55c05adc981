import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type NavigationEntry, readNavigation } from './read-navigation.ts'

/**
 * `llms.txt`, by which assistants find the page that answers (https://llmstxt.org): the navigation of the site. `base`:
 * the folder of the site on its host, with slashes around.
 */
export function llmsText(checkout: string, base: string): string {
  const { name, description } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8'))
  const linksIn = ({ text, link, items = [] }: NavigationEntry): readonly string[] => [
    ...(link === undefined ? [] : [`- [${text}](${base}${link.slice(1).replace(/\.md(?=#|$)/, '.html')})`]),
    ...items.flatMap(linksIn),
  ]
  const sections = (readNavigation(checkout)['/'] ?? []).map(({ text, items = [] }) => {
    return `## ${text}\n\n${items.flatMap(linksIn).join('\n')}\n`
  })
  const more = `Each rule has a page, such as ${base}docs/rules/endpoint/inactive.html. \`hookdrift mcp\` answers assistants.`
  return `# ${name}\n\n> ${description}\n\n${more}\n\n${sections.join('\n')}`
}
