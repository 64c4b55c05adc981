import type { Command } from 'commander'
import type { Execute } from '../app/process-context.ts'
export function defineCompletion(_program: Command, _execute: Execute): void {}
