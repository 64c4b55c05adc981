import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { chromium } from 'playwright-core'
import { chatPage } from './pictures/chat-message.ts'
import { dashboardPage } from './pictures/dashboard.ts'
import { takePages } from './pictures/pages.ts'
import { playScene } from './pictures/scene.ts'
import { dark, light, terminalPicture } from './pictures/terminal.ts'

// The pictures of the documentation, from what the program says of a simulated fleet. Needs Debian's Chromium.

const pictures = new URL('../docs/pictures/', import.meta.url)
const dashboardFile = new URL('../deploy/grafana/dashboards/hookdrift.json', import.meta.url)
const dashboard = JSON.parse(readFileSync(dashboardFile, 'utf8'))

/** Answers that pages show, and tests run. */
const answers = [['preview', 'preview-an-update', 'hookdrift preview rename.sh']] as const

const directory = mkdtempSync(join(tmpdir(), 'hookdrift-pictures-'))
const history = join(directory, 'hookdrift.db')
const scene = await playScene(history)
const first = scene.terminal.trimEnd().split('\n').slice(0, 18).join('\n')
for (const [name, scheme] of [
  ['audit-dark', dark],
  ['audit-light', light],
] as const)
  writeFileSync(new URL(`${name}.svg`, pictures), terminalPicture('hookdrift audit', first, scheme))
for (const [name, page, command] of answers) {
  const text = readFileSync(new URL(`../docs/how-to/${page}.md`, import.meta.url), 'utf8')
  const [, answer = ''] = text.split(`\n$ ${command}\n`)
  const [shown = ''] = answer.split('\n```')
  writeFileSync(new URL(`${name}.svg`, pictures), terminalPicture(command, shown))
}

const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] })
try {
  await take('html-report', scene.html, { width: 1280, height: 1000 })
  await take('html-report-dark', scene.html, { width: 1280, height: 1000, scheme: 'dark' })
  await take('html-report-phone', scene.html, { width: 400, height: 900 })
  await take('compliance-report', scene.compliance, { width: 1280, height: 1000 })
  await take('chat-message', chatPage(scene.chat), { width: 900, element: 'main' })
  await take('dashboard', dashboardPage(dashboard, scene.scrapes), { width: 1264, element: 'main' })
  await takePages(browser, new URL('pages/', pictures))
} finally {
  await browser.close()
  rmSync(directory, { recursive: true, force: true })
}

async function take(
  name: string,
  html: string,
  shot: { width: number; height?: number; element?: string; scheme?: 'dark' },
): Promise<void> {
  const file = join(directory, `${name}.html`)
  writeFileSync(file, html)
  const page = await browser.newPage({
    viewport: { width: shot.width, height: shot.height ?? 800 },
    colorScheme: shot.scheme ?? 'light',
  })
  await page.goto(pathToFileURL(file).href)
  const png = shot.element === undefined ? await page.screenshot() : await page.locator(shot.element).screenshot()
  writeFileSync(new URL(`${name}.png`, pictures), png)
}
