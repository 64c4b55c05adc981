import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { defineConfig } from 'vitepress'
import { readOwner } from '../../scripts/release/owner.ts'
import { llmsText } from '../llms.ts'
import { readNavigation } from '../read-navigation.ts'
import { anchorOf, renderAsRepository, type SiteSource } from '../render-markdown.ts'
import { pageOf } from '../resolve-link.ts'

const checkout = join(import.meta.dirname, '../..')
const { description } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8'))
const { repository } = readOwner(checkout)
const source: SiteSource = { checkout, repository: repository || undefined, linked: new Set() }

/** Without an icon in the page, a browser would ask for a file. */
const icon =
  "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><rect width='16' height='16' rx='3' fill='%233451b2'/><path d='M5 3v6a3 3 0 0 0 6 0' fill='none' stroke='white' stroke-width='2'/></svg>"

/** Without scripts, nothing opens the navigation: on a narrow screen it follows the text. */
const unscripted = `<style>
.VPNavBarSearch, .VPNavBarAppearance, .VPNavBarHamburger, .VPNavBarExtra, .VPLocalNav { display: none !important; }
@media (max-width: 959px) {
  .Layout { display: flex; flex-direction: column; }
  .VPContent { order: 1; }
  .VPSidebar { order: 2; position: static !important; width: auto !important; max-width: none !important;
    opacity: 1 !important; visibility: visible !important; transform: none !important; box-shadow: none !important; }
}
</style>`

export default defineConfig({
  lang: 'en',
  title: 'hookdrift',
  description,
  srcDir: checkout,
  srcExclude: ['!(docs)/*', '!(docs)/*/**'],
  rewrites: pageOf,
  metaChunk: true,
  outDir: join(checkout, '.site'),
  cacheDir: join(checkout, 'node_modules/.cache/vitepress'),
  head: [
    ['link', { rel: 'icon', href: icon }],
    ['noscript', {}, unscripted],
  ],
  markdown: {
    attrs: { disable: true },
    anchor: { slugify: anchorOf },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    image: { lazyLoading: true },
    config: (md) => renderAsRepository(md, source),
  },
  // The index of the search is one file, which is fetched for a search.
  vite: { build: { chunkSizeWarningLimit: 2000 } },
  themeConfig: {
    nav: [
      { text: 'Tutorial', link: '/docs/tutorial' },
      { text: 'How-to', link: '/docs/how-to/install', activeMatch: '/docs/how-to/' },
      { text: 'Reference', link: '/docs/reference/configuration', activeMatch: '/docs/reference/' },
      { text: 'Rules', link: '/docs/reference/rules', activeMatch: '/docs/rules/' },
      ...(repository === '' ? [] : [{ text: 'Repository', link: repository }]),
    ],
    sidebar: readNavigation(checkout),
    outline: [2, 3],
    search: { provider: 'local' },
  },
  transformHtml: (html, _, { page, siteConfig: { site } }) => {
    // The generator makes this page with a script only.
    if (page === '404.md') return html.replace('<div id="app">', `${notFound(site.base)}$&`)
  },
  buildEnd: ({ outDir, site }) => {
    writeFileSync(join(outDir, 'llms.txt'), llmsText(checkout, site.base))
    for (const path of source.linked) {
      mkdirSync(dirname(join(outDir, path)), { recursive: true })
      cpSync(join(checkout, path), join(outDir, path))
    }
  },
})

function notFound(base: string): string {
  return `<noscript><h1>Page not found</h1><p><a href="${base}">hookdrift</a>, <a href="${base}docs/">its documentation</a></p></noscript>`
}
