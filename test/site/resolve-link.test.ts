import { describe, expect, it } from 'vitest'
import { anchorOf } from '../../site/render-markdown.ts'
import { resolveLink } from '../../site/resolve-link.ts'
import { checkout } from '../deploy/build-image.ts'

const follow = (href: string) => resolveLink(checkout, 'docs/how-to/install.md', href)

describe('a link between files', () => {
  it.each([
    ['run-in-ci.md', { kind: 'page', path: 'docs/how-to/run-in-ci.md', anchor: '' }],
    ['../reference/errors.md#exit-codes', { kind: 'page', path: 'docs/reference/errors.md', anchor: '#exit-codes' }],
    ['../../README.md', { kind: 'page', path: 'README.md', anchor: '' }],
    ['..', { kind: 'page', path: 'docs/README.md', anchor: '' }],
    ['../reference', { kind: 'page', path: 'docs/reference/api.md', anchor: '' }],
    ['../pictures/dashboard.png', { kind: 'file', path: 'docs/pictures/dashboard.png' }],
    ['../../deploy/prometheus/alerts.yaml', { kind: 'file', path: 'deploy/prometheus/alerts.yaml' }],
    ['../../deploy/grafana/', { kind: 'repository', path: 'deploy/grafana', isFolder: true }],
    ['../../deploy/kubernetes/', { kind: 'repository', path: 'deploy/kubernetes', isFolder: true }],
    ['../../compose.yaml', { kind: 'repository', path: 'compose.yaml', isFolder: false }],
    ['#as-a-package', { kind: 'elsewhere' }],
    ['https://example.com/a.md', { kind: 'elsewhere' }],
    ['mailto:a@example.com', { kind: 'elsewhere' }],
  ])('leads from %s to its target', (href, target) => {
    expect(follow(href)).toEqual(target)
  })

  it.each(['nothing.md', '../nothing/', '/docs/how-to/install.md', '../../../outside.md'])('fails for %s', (href) => {
    expect(() => follow(href)).toThrow(`docs/how-to/install.md: the link ${href} leads nowhere`)
  })
})

describe('the anchor of a heading', () => {
  it.each([
    ['Exit codes', 'exit-codes'],
    ['`--fail-on` and `new_violations`', '--fail-on-and-new_violations'],
    ["What's new, in 2?", 'whats-new-in-2'],
    ['Größe & Zahl', 'größe--zahl'],
  ])('of %j is that of a repository', (heading, anchor) => {
    expect(anchorOf(heading)).toBe(anchor)
  })
})
