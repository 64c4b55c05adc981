import type { Command } from 'commander'
import type { Execute } from './run-command.ts'

export function defineDemo(_program: Command, _execute: Execute): void {}
