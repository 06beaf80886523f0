import { askTable } from './ask-table.js';
import { memoryGround } from './ground.js';

askTable('in memory', memoryGround);
