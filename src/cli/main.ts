#!/usr/bin/env node
import { program } from './program.js';

await program(process.argv.slice(2));
