import { styleText } from 'node:util'

export type Paint = (style: Style, text: string) => string
export type Style = keyof typeof styles

export function isStyle(name: string): name is Style {
  return Object.hasOwn(styles, name)
}

const styles = {
  heading: ['bold'],
  aside: ['dim'],
  good: ['green'],
  alarm: ['bold', 'red'],
  added: ['green'],
  removed: ['red'],
  modified: ['yellow'],
  critical: ['bold', 'red'],
  high: ['red'],
  medium: ['yellow'],
  low: ['cyan'],
  info: ['dim'],
} as const

export function painter(colour: boolean): Paint {
  return colour ? (style, text) => styleText([...styles[style]], text, { validateStream: false }) : (_, text) => text
}
